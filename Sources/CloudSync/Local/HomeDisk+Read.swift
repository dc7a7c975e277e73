internal import CLinux
internal import HomeTree
internal import Posix
package import SyncContent
internal import SyncLog
internal import SystemPackage

extension HomeDisk {
    package func prepareToRead(_ paths: [LocalPath]) {
        guard rules.hold(.readsAreDurable) else { return }
        // The first one's fsync then writes the journal for all.
        for path in paths {
            try? withItem(path) { (found, _) throws(LocalError) in
                guard found.status.isRegular else { return }
                try withHandle(found.inode) { handle in _ = lx_start_writeback(handle.descriptor) }
            }
        }
    }

    package func read(
        _ path: LocalPath, expecting fingerprint: Fingerprint,
        _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint {
        let read = try withItem(path) { (found, parent) throws(LocalError) -> Fingerprint in
            guard found.status.isRegular else { throw .changed }
            return try readFile(found.inode, in: parent, path, expecting: fingerprint, body)
        }
        guard let read else { throw .gone }
        return read
    }

    package func read(
        _ path: LocalPath, _ range: Range<UInt64>, expecting fingerprint: Fingerprint
    ) throws(LocalError) -> [UInt8] {
        if let copy = state.withLock({ $0.copies.copy(of: path, fingerprint) }) {
            var bytes: [UInt8] = []
            try readAll(copy.file.raw, range) { (run) throws(LocalError) in bytes += run }
            return bytes
        }
        let read = try withItem(path) { (found, _) throws(LocalError) -> [UInt8] in
            guard found.status.isRegular else { throw .changed }
            return try withHandle(found.inode) { (handle) throws(LocalError) in
                try readPart(range, found.inode, handle, path, fingerprint)
            }
        }
        guard let read else { throw .gone }
        return read
    }

    private func readPart(
        _ range: Range<UInt64>, _ inode: InodeNumber, _ handle: FileHandle, _ path: LocalPath,
        _ fingerprint: Fingerprint
    ) throws(LocalError) -> [UInt8] {
        guard range.upperBound <= fingerprint.sizeBytes else { throw .changed }
        // Of a file that stays open the whole was read without a time of change.
        func expect() throws(LocalError) {
            let present = try stamp(handle)
            let isOpenForLong = fingerprint.changed == 0
            if tree.mayBeWritten(inode, through: handle) {
                try refuseIfWritten(path, present)
                if !isOpenForLong { throw .changed }
            }
            if !present.isAsRead(fingerprint) { throw .changed }
        }
        try expect()
        var bytes: [UInt8] = []
        try readAll(handle.descriptor, range) { (run) throws(LocalError) in bytes += run }
        try expect()
        guard bytes.count == range.count else { throw .changed }
        return bytes
    }

    /// Leases are probes: a held one would keep the app from opening its own file for as long as an upload
    /// takes. So both ends of the reading are asked whether somebody writes, and times and size are compared.
    private func readFile(
        _ inode: InodeNumber, in parent: InodeNumber, _ path: LocalPath, expecting fingerprint: Fingerprint,
        _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint {
        try withHandle(inode) { (handle) throws(LocalError) in
            let isHeld = !rules.hold(.leasesAreProbes)
            if isHeld { tree.holdLease(handle) }
            defer { if isHeld { tree.endLease(handle) } }
            let hadWriter = !isHeld && tree.mayBeWritten(inode, through: handle)
            var present = try stamp(handle)
            let needsSQLite = try needsSQLite(
                path, inode, handle, in: parent, hasWriter: hadWriter, &present)
            if needsSQLite, present.isSameInode(as: fingerprint) {
                return try readDatabase(path, inode, in: parent, expecting: present, body)
            }
            guard present.isAsRead(fingerprint) else { throw .changed }
            if hadWriter { try refuseIfWritten(path, present) }
            try makeDurable(handle)
            try readAll(handle.descriptor, 0..<present.sizeBytes, body)
            let hasWriter = !isHeld && tree.mayBeWritten(inode, through: handle)
            guard try stamp(handle) == present else { throw .changed }
            if hasWriter && !hadWriter { try refuseIfWritten(path, present) }
            guard hadWriter else { return present }
            state.withLock { $0.writers.wasRead(path, present) }
            // What a mapping stored meanwhile may show in no time: it is to be read again.
            present.changed = 0
            return present
        }
    }

    /// What an app did not fsync may be gone after a power failure while the file's size and times stay: the
    /// disk would then show older bytes for ever than those that were sent, and take them for the same.
    private func makeDurable(_ handle: FileHandle) throws(LocalError) {
        guard rules.hold(.readsAreDurable) else { return }
        try LocalError.from { () throws(Errno) in try tree.sync(handle, dataOnly: false) }
    }

    /// - Throws: `.inUse`, unless the file stays open and stands still for long.
    private func refuseIfWritten(_ path: LocalPath, _ fingerprint: Fingerprint) throws(LocalError) {
        let now = clock.now()
        let mayBeRead = state.withLock { state in
            state.writers.found(path, fingerprint, at: now)
            return state.writers.mayBeRead(path, fingerprint, at: now)
        }
        if !mayBeRead { throw .inUse }
    }

    func withHandle<R>(
        _ inode: InodeNumber, _ body: (FileHandle) throws(LocalError) -> R
    ) throws(LocalError) -> R {
        let handle = try LocalError.from { () throws(Errno) in try tree.open(inode, flags: 0) }
        defer { tree.close(handle, of: inode) }
        return try body(handle)
    }

    private func stamp(_ handle: FileHandle) throws(LocalError) -> Fingerprint {
        try LocalError.from { () throws(Errno) in Fingerprint(try tree.stamp(of: handle)) }
    }

    private static let runBytes = 4 << 20

    /// Hands on what a file has of a range.
    /// - Throws: also `.ended`, after `end`.
    func readAll(
        _ file: Int32, _ range: Range<UInt64>, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            if state.withLock({ $0.hasEnded }) { throw .ended }
            let wanted = Int(min(UInt64(Self.runBytes), range.upperBound - offset))
            let run = try LocalError.from { () throws(Errno) in
                try FileTree.read(file, offset: Int64(clamping: offset), count: wanted)
            }
            if run.isEmpty { return }
            try body(run)
            offset += UInt64(run.count)
        }
    }
}
