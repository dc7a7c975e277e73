internal import CLinux
public import SystemPackage

/// What this process is and knows of itself.
public enum Process {
    public static var id: Int32 { lx_getpid() }
    public static var effectiveUserID: UInt32 { lx_effective_uid() }
    public static var effectiveGroupID: UInt32 { lx_effective_gid() }

    /// A user of this system.
    public struct User: Sendable, Equatable {
        public let home: String
        public let groupID: UInt32
    }

    /// What the user database says of `userID`; nil where it knows no such user.
    public static func user(_ userID: UInt32) -> User? {
        var home = [CChar](repeating: 0, count: 4096)
        var groupID: UInt32 = 0
        guard lx_user(userID, &home, UInt32(home.count), &groupID) == 0 else { return nil }
        return User(
            home: String(decoding: home.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self), groupID: groupID)
    }

    /// What this machine is called; empty where it cannot be read.
    public static var hostName: String {
        systemText("/proc/sys/kernel/hostname", limitBytes: 256)?.parts(between: "\n").first ?? ""
    }

    /// The linker's build id of this executable; empty where the linker left none.
    public static var buildID: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = lx_build_id(&bytes, UInt32(bytes.count))
        return Array(bytes.prefix(Int(count)))
    }

    /// Raises the limit of open files as far as it goes, and grows the kernel's table for them at once.
    /// To be called before any thread exists. Returns the number of descriptors that can be open.
    @discardableResult
    public static func growDescriptorTable() throws(Errno) -> Int {
        Int(try valueOrErrno(lx_grow_descriptor_table()))
    }

    public static func setFileModeMask(_ mask: UInt32) { _ = lx_set_umask(mask) }

    /// From here on nobody else of this user looks into this process, and no crash lays its memory on a disk.
    public static func keepMemoryPrivate() { lx_keep_memory_private() }

    /// All threads share one heap from here on: slower where many allocate at once, and smaller. To be called
    /// before any thread exists.
    public static func keepHeapTogether() { lx_keep_heap_together() }

    /// Gives unused heap pages back to the kernel, after work that needed many.
    public static func trimHeap() { lx_trim_heap() }
}
