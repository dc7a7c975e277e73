#if FUZZING
    import Backup
    import Foundation

    /// One at a time: what was learned of one reader's form would be wasted on another's.
    private let reader = ProcessInfo.processInfo.environment["READER"].flatMap(HostileInput.init) ?? .plist

    /// What libFuzzer calls with each input (`mount-scripts/fuzz-backup`).
    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        reader.read(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }

    /// libFuzzer, which the build links in: for where this tool's own main is taken and not the fuzzer's.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runFuzzer(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ input: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    func fuzz() -> Int32 {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        return runFuzzer(&count, &arguments) { fuzzOneInput($0, $1) }
    }
#endif
