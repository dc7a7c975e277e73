internal import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

/// Items whose names are too long for the backing file system (SandboxRules.LongName). In the tree they have
/// the short names under which they lie: only what views are asked for and list is a long one.
enum LongNames {
    /// Writes the attribute of a long name by which an item is looked for, where a crash came before that.
    /// Who may not write it finds the item all the same.
    static func mend(_ long: FileName, as short: FileName, in directory: Int32) {
        guard LongName.isLong(long.bytes), read(of: short, in: directory) == nil else { return }
        try? write(long, as: short, of: short.cString, in: directory)
    }

    /// Keeps `long` with an item that lies under `short`, or will. Without effect for a name that is short.
    /// - Parameter item: the item's name in `directory` now; "" for what that holds.
    /// - Throws: ENAMETOOLONG for what has no attributes of its own, as a symlink; ENOSPC where there are too
    ///   many, and others of setxattr(2).
    static func write(
        _ long: FileName, as short: FileName, of item: UnsafePointer<CChar>, in directory: Int32
    ) throws(Errno) {
        guard LongName.isLong(long.bytes), let attribute = LongName.attribute(ofStored: short.bytes) else {
            return
        }
        func set() -> Int32 {
            lx_setxattrat(directory, item, attribute, long.cString, UInt64(long.count), 0)
        }
        let status = try stat(directory, item)
        guard status.isRegular || status.isDirectory else { throw .fileNameTooLong }
        let result = set()
        guard result == -Errno.permissionDenied.rawValue else {
            try valueOrErrno(result)
            return
        }
        // An attribute takes the right to write the file, which its owner need not have.
        try valueOrErrno(lx_chmodat(directory, item, status.permissions | 0o200))
        let second = set()
        try valueOrErrno(lx_chmodat(directory, item, status.permissions))
        try valueOrErrno(second)
    }

    /// Forgets what a name that an item has no more was kept for.
    static func remove(_ short: FileName, of item: FileName, in directory: Int32) {
        guard let attribute = LongName.attribute(ofStored: short.bytes) else { return }
        _ = lx_removexattrat(directory, item.cString, attribute)
    }

    /// The long name of what lies under `short`; nil where it has none.
    static func read(of short: FileName, in directory: Int32) -> String? {
        guard let attribute = LongName.attribute(ofStored: short.bytes) else { return nil }
        var value = [UInt8](repeating: 0, count: LongName.longestBytes)
        let count = lx_getxattrat(directory, short.cString, attribute, &value, UInt64(value.count))
        guard count > 0 else { return nil }
        return LongName.name(Array(value[..<Int(count)]), ofStored: short.bytes)
    }
}

extension HomeTree {
    /// Runs `body` with the name that the backing file system has for `name`: the same one, but for what is
    /// too long for it.
    /// - Throws: as `check`.
    func withShortName<R>(
        of name: FileName, _ body: (FileName) throws(Errno) -> R
    ) throws(Errno) -> R {
        try check(name)
        guard let short = LongName.stored(for: name.bytes) else { return try body(name) }
        return try short.withFileName(body)
    }

    /// The name by which views show the item that lies in `directory` under `stored`.
    public func shownName(of stored: FileName, in directory: InodeNumber) throws(Errno) -> String {
        if LongName.attribute(ofStored: stored.bytes) == nil { return stored.text }
        return try inodes.withDirectory(directory) { (descriptor) throws(Errno) in
            LongNames.read(of: stored, in: descriptor) ?? stored.text
        }
    }
}

extension DirectoryReader {
    /// Runs `body` with the name by which views show an item of this directory.
    public func withShownName<R>(
        of stored: FileName, _ body: (FileName) throws(Errno) -> R
    ) throws(Errno) -> R {
        guard let long = LongNames.read(of: stored, in: descriptor) else { return try body(stored) }
        return try long.withFileName(body)
    }
}
