internal import CLinux
internal import Posix
internal import StoreBasics
internal import SystemPackage

extension StoreFolder {
    /// An entry changed less than this before may not be on the disk yet: the kernel writes it out after 5 s
    /// (ext4) to 30 s (others).
    private static let writebackSeconds: Int64 = 35

    func read(_ key: ObjectKey, range: Range<UInt64>?) throws(StoreError) -> StoredObject? {
        let top = try open()
        guard let (file, details) = try openObject(key, in: top) else { return nil }
        let sizeBytes = UInt64(details.st_size)
        if let range {
            try StoreLimits.check(range, sizeBytes: sizeBytes)
            try StoreLimits.check(objectOf: range.upperBound - range.lowerBound)
        } else {
            try StoreLimits.check(objectOf: sizeBytes)
        }
        let bytes = try contents(of: file, range ?? 0..<sizeBytes, key)
        return StoredObject(bytes: bytes, lastModified: details.modified)
    }

    func info(_ key: ObjectKey) throws(StoreError) -> ObjectInfo? {
        let top = try open()
        guard let (_, details) = try openObject(key, in: top) else { return nil }
        return ObjectInfo(key: key, sizeBytes: UInt64(details.st_size), lastModified: details.modified)
    }

    /// The object's file, whose name is on the disk. Nil where there is none.
    private func openObject(
        _ key: ObjectKey, in top: borrowing Descriptor
    ) throws(StoreError) -> (file: SharedDescriptor, details: stat)? {
        guard let directory = try openDirectory(key.directory, in: top) else { return nil }
        let (raw, name) = (directory.raw, key.name)
        var details = stat()
        let file: SharedDescriptor
        do throws(Errno) {
            // Not blocking: somebody may have put a fifo there.
            let flags = lx_o_nonblock | lx_o_nofollow | lx_o_noctty
            file = SharedDescriptor(
                Descriptor(owning: try retrying { lx_openat_beneath(raw, name, flags, 0) }))
            try valueOrErrno(lx_fstat(file.raw, &details))
        } catch .noSuchFileOrDirectory {
            try checkIsStore(top)
            return nil
        } catch .tooManySymbolicLinkLevels {
            throw .invalidAnswer("\(path)/\(key) is no regular file")
        } catch {
            throw StoreError(error, "\(path)/\(key)")
        }
        guard details.isRegular else { throw .invalidAnswer("\(path)/\(key) is no regular file") }
        if time().seconds - Int64(details.st_ctim.tv_sec) < Self.writebackSeconds {
            try makeDurable(directory, key)
        }
        return (file, details)
    }

    private func contents(
        of file: SharedDescriptor, _ range: Range<UInt64>, _ key: ObjectKey
    ) throws(StoreError) -> [UInt8] {
        let path = "\(self.path)/\(key)"
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try FileTree.read(file.raw, offset: Int64(range.lowerBound), count: range.count)
        } catch {
            throw StoreError(error, path)
        }
        if bytes.count < range.count { throw .invalidAnswer("\(path) became shorter while it was read") }
        return bytes
    }
}

extension stat {
    /// Whoever may write there can set any time, and 64 bits of them are not to be reckoned with.
    var modified: StoreTime { StoreTime(seconds: min(max(Int64(st_mtim.tv_sec), 0), 1 << 40)) }
}
