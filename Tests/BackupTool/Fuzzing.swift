#if FUZZING
    import Backup

    /// What libFuzzer calls with each input (`mount-scripts/fuzz-backup`).
    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        HostileInput.read(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
#endif
