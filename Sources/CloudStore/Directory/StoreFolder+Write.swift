internal import CLinux
internal import Posix
internal import StoreBasics
internal import SystemPackage

extension StoreFolder {
    /// Writes an object under its name, whole or not at all.
    /// - Parameters:
    ///   - replacing: what is there is replaced; otherwise it stays.
    ///   - usesReserve: whether it may use the room that is kept for records.
    /// - Returns: whether the object is this one, and the date of it.
    func write(
        _ bytes: [UInt8], at key: ObjectKey, replacing: Bool, _ usesReserve: Bool
    ) throws(StoreError) -> Dated<Bool> {
        if key.text.isPath(in: Self.aside) {
            throw .forbidden("\(key): the store's own folder")
        }
        let top = try open()
        guard let aside = try openDirectory(Self.aside, in: top) else {
            throw .missing("\(path) holds no store: is a disk not mounted there?")
        }
        leftovers.sweepOnce(aside) { time() }
        if !usesReserve { try refuseBesideReserve(in: aside) }
        do throws(StoreError) {
            return try write(bytes, at: key, replacing: replacing, in: top, aside)
        } catch {
            guard case .full = error, usesReserve else { throw error }
        }
        return try lending.withLock { (_) throws(StoreError) in
            try lendReserve(in: aside)
            defer { fillReserve(in: aside) }
            do throws(StoreError) {
                return try write(bytes, at: key, replacing: replacing, in: top, aside)
            } catch {
                guard case .full = error else { throw error }
            }
            // What was freed for it has reached the disk only now, where all is copied that is changed.
            _ = lx_syncfs(aside.raw)
            return try write(bytes, at: key, replacing: replacing, in: top, aside)
        }
    }

    private func write(
        _ bytes: [UInt8], at key: ObjectKey, replacing: Bool, in top: borrowing Descriptor,
        _ aside: borrowing Descriptor
    ) throws(StoreError) -> Dated<Bool> {
        let directory = try makeDirectory(key.directory, in: top)
        let draft = try Draft(bytes, in: aside, rightsOf: top, path: path)
        let name = key.name
        let date: StoreTime
        do throws(StoreError) { date = try draft.date(by: clock, path) } catch {
            draft.discard()
            throw error
        }
        if !replacing { return Dated(try claim(name, of: key, in: directory, with: draft), at: date) }
        let result = lx_renameat2(aside.raw, draft.name, directory.raw, name, 0)
        if result < 0 {
            draft.discard()
            throw StoreError(Errno(rawValue: -result), "\(path)/\(key)")
        }
        try makeDurable(directory, key)
        return Dated(true, at: date)
    }

    /// link(2) is the one call that makes a name only where none is, on every file system that has links.
    private func claim(
        _ name: String, of key: ObjectKey, in directory: borrowing Descriptor, with draft: Draft
    ) throws(StoreError) -> Bool {
        let result = lx_linkat(draft.directory, draft.name, directory.raw, name, 0)
        // A network file system may have lost the answer to its first try and been refused the second.
        let isOurs = result == 0 || draft.hasTwoNames
        draft.discard()
        if isOurs {
            try makeDurable(directory, key)
            return true
        }
        switch Errno(rawValue: -result) {
        case .fileExists:
            // Whoever holds the slot may not have come so far, and the answer will be built upon.
            try makeDurable(directory, key)
            return false
        case .notPermitted, .notSupported, .operationNotSupported:
            throw .unsupported("\(path): this file system has no hard links, by which a slot is claimed")
        case let error: throw StoreError(error, "\(path)/\(key)")
        }
    }

    /// Puts the directory's names on the disk. A failure leaves the outcome open.
    func makeDurable(_ directory: borrowing Descriptor, _ key: ObjectKey) throws(StoreError) {
        let result = lx_fsync(directory.raw, 0)
        if result < 0 { throw .unknownOutcome("\(path)/\(key): \(Errno(rawValue: -result))") }
    }

    /// Not waited for: a removed object that is back after a loss of power does no harm.
    func remove(_ key: ObjectKey) throws(StoreError) {
        let top = try open()
        guard let directory = try openDirectory(key.directory, in: top) else { return }
        switch lx_unlinkat(directory.raw, key.name, 0) {
        case 0:
            // What comes free is the reserve's first, as far as that was used.
            if let aside = try openDirectory(Self.aside, in: top) { fillReserve(in: aside) }
        case -Errno.noSuchFileOrDirectory.rawValue: try checkIsStore(top)
        case let failure: throw StoreError(Errno(rawValue: -failure), "\(path)/\(key)")
        }
    }
}

/// Bytes on the disk that have no name of an object yet.
struct Draft {
    let name: String
    let directory: Int32
    let file: SharedDescriptor

    init(
        _ bytes: [UInt8], in aside: borrowing Descriptor, rightsOf top: borrowing Descriptor, path: String
    ) throws(StoreError) {
        name = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        directory = aside.raw
        do throws(Errno) {
            var details = stat()
            try valueOrErrno(lx_fstat(top.raw, &details))
            let flags = lx_o_creat | lx_o_excl | lx_o_wronly | lx_o_nofollow
            file = SharedDescriptor(
                try Descriptor(at: directory, name, flags: flags, mode: details.permissions & 0o666))
        } catch {
            throw StoreError(error, "\(path)/\(StoreFolder.aside)")
        }
        do throws(Errno) {
            try file.descriptor.writeAll(bytes)
            try valueOrErrno(lx_fsync(file.raw, 0))
        } catch {
            _ = lx_unlinkat(directory, name, 0)
            throw StoreError(error, "\(path)/\(StoreFolder.aside)")
        }
    }

    var hasTwoNames: Bool {
        var details = stat()
        return lx_fstat(file.raw, &details) == 0 && details.st_nlink == 2
    }

    func discard() { _ = lx_unlinkat(directory, name, 0) }
}
