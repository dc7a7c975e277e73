internal import CLinux
internal import HomeTree
internal import Posix
internal import SandboxRules
package import SyncContent
internal import SyncLog
internal import SystemPackage

extension HomeDisk {
    package func look(at path: LocalPath) throws(LocalError) -> LocalItem? { try inspect(path)?.item }

    struct Inspected {
        let item: LocalItem
        let hasWriter: Bool
    }

    /// Looks at an item, and asks the disk whether somebody writes it.
    func inspect(_ path: LocalPath) throws(LocalError) -> Inspected? {
        try withItem(path) { (found, parent) throws(LocalError) in
            // Before its times are read: what is stored and unmapped in between would be in neither.
            let hasWriter = found.status.isRegular && tree.mayBeWritten(found.inode)
            var item = try item(at: path, found, in: parent)
            guard case .file = item.kind, item.exclusion != .kind else {
                return Inspected(item: item, hasWriter: false)
            }
            item.isBeingWritten = try note(path, item.fingerprint, found.inode, hasWriter: hasWriter)
            return Inspected(item: asRead(item), hasWriter: hasWriter)
        }
    }

    /// A look that asks nobody whether the file is being written, and remembers nothing.
    /// - Returns: with whether it is excluded, by itself or by a directory above it; nil where nothing is.
    func glance(at path: LocalPath) throws(LocalError) -> (item: LocalItem, isExcluded: Bool)? {
        var isExcluded = false
        for index in path.names.indices {
            let step = LocalPath(Array(path.names[...index]))
            let looked = try withItem(step) { (found, parent) throws(LocalError) in
                try item(at: step, found, in: parent)
            }
            guard let looked else { return nil }
            isExcluded = isExcluded || looked.exclusion != nil
            if step == path { return (asRead(looked), isExcluded) }
        }
        return nil
    }

    package func list(
        _ directory: LocalPath, being expected: Fingerprint?
    ) throws(LocalError) -> [LocalItem] {
        try withDirectory(directory) { (inode) throws(LocalError) in
            try expect(inode, being: expected)
            let names = try LocalError.from { () throws(Errno) in try tree.names(in: inode) }
            return try list(names, in: inode, directory, room: .max) { _ in false }.items
        }
    }

    package func list(
        _ directory: LocalPath, being expected: Fingerprint?, room: Int,
        besides isKnown: (UnsafeRawBufferPointer, UInt64) -> Bool
    ) throws(LocalError) -> LocalListing {
        try withDirectory(directory) { (inode) throws(LocalError) in
            try expect(inode, being: expected)
            var known: Set<[CChar]> = []
            let names = try LocalError.from { () throws(Errno) in
                try tree.names(in: inode) { (name, number) in
                    guard isKnown(name.bytes, number) else { return true }
                    // Very many are: they are kept only where they say something of another name.
                    guard Self.concernsOthers(name) else { return false }
                    known.insert(name.terminated)
                    return true
                }
            }
            return try list(names, in: inode, directory, room: room, known.contains)
        }
    }

    private func list(
        _ names: [[CChar]], in inode: InodeNumber, _ directory: LocalPath, room: Int,
        _ isKnown: ([CChar]) -> Bool
    ) throws(LocalError) -> LocalListing {
        var listing = LocalListing()
        // Asked of the disk only where there is one: most directories hold no database.
        let hasCompanions = names.contains { $0.withFileName(Self.mayBeCompanion) }
        var synced = Self.synced(names)
        // Of more than are taken up those that lie together in an index of names.
        if synced.count > room { synced.sort { $0.precedes($1) } }
        for bytes in synced where !isKnown(bytes) {
            guard let name = bytes.validName else { continue }
            let found = try LocalError.from { () throws(Errno) in
                try bytes.withFileName { (name) throws(Errno) in try tree.peek(name, in: inode) }
            }
            guard let found else { continue }
            defer { tree.forget(found.inode) }
            let path = directory.appending(name)
            guard let item = try listed(path, found, in: inode, hasCompanions) else { continue }
            guard listing.add(item, room) else { break }
        }
        return listing
    }

    /// One of the names that are one to sync: the first in the order of their bytes, which is what
    /// `NameMatching.asSynced` finds. There are several only where another policy let them be.
    /// - Parameter names: each with its NUL.
    private static func synced(_ names: [[CChar]]) -> [[CChar]] {
        var first: [SandboxRules.NameKey: Int] = [:]
        var others: Set<Int> = []
        for (index, name) in names.enumerated() {
            name.withFileName { bytes in
                guard NamePolicy.device.hasOtherSpellings(bytes.bytes) else { return }
                let key = NamePolicy.device.key(bytes.bytes)
                guard let prior = first[key] else {
                    first[key] = index
                    return
                }
                let isBefore = name.precedes(names[prior])
                others.insert(isBefore ? prior : index)
                if isBefore { first[key] = index }
            }
        }
        return others.isEmpty ? names : names.indices.filter { !others.contains($0) }.map { names[$0] }
    }

    /// One of many: whether a file has a writer is asked of the disk only where the tree does not know.
    private func listed(
        _ path: LocalPath, _ found: Found, in parent: InodeNumber, _ hasCompanions: Bool
    ) throws(LocalError) -> LocalItem? {
        do throws(LocalError) {
            var item = try item(at: path, found, in: parent, mayHaveCompanions: hasCompanions)
            if found.status.isRegular, tree.seemsWritten(found.inode) {
                item.isBeingWritten = try note(path, item.fingerprint, found.inode, hasWriter: true)
            }
            return asRead(item)
        } catch {
            if error == .gone { return nil }
            throw error
        }
    }

    /// A file that somebody holds open, or mapped, and that was read so has the fingerprint which `read`
    /// answered: otherwise it would be read again at each look until it is let go of, and nothing that is
    /// remote would ever be put in its place.
    private func asRead(_ item: LocalItem) -> LocalItem {
        guard case .file = item.kind,
            state.withLock({ $0.writers.isAsRead(item.path, item.fingerprint) })
        else { return item }
        var item = item
        item.fingerprint.changed = 0
        return item
    }

    /// - Returns: whether the file is not to be read yet.
    private func note(
        _ path: LocalPath, _ fingerprint: Fingerprint, _ inode: InodeNumber, hasWriter: Bool
    ) throws(LocalError) -> Bool {
        let isDatabase = hasWriter ? try self.isDatabase(inode) : false
        let now = clock.now()
        return state.withLock { state in
            guard hasWriter else {
                state.writers.end(path)
                return false
            }
            state.writers.found(path, fingerprint, isDatabase: isDatabase, at: now)
            return !state.writers.mayBeRead(path, fingerprint, at: now)
        }
    }

    private static func concernsOthers(_ name: FileName) -> Bool {
        mayBeCompanion(name) || NamePolicy.device.hasOtherSpellings(name.bytes)
    }

    private static func mayBeCompanion(_ name: FileName) -> Bool {
        DatabaseCompanion.suffixes.contains { name.bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }

    private func item(
        at path: LocalPath, _ found: Found, in parent: InodeNumber, mayHaveCompanions: Bool = true
    ) throws(LocalError) -> LocalItem {
        let (stamp, apple) = try LocalError.from { () throws(Errno) in
            (try tree.stamp(of: found.inode), try tree.appleAttributes(of: found.inode))
        }
        var fingerprint = Fingerprint(stamp)
        if stamp.isRegular, mayHaveCompanions, path.parkedName == nil, let name = path.name {
            try addCompanions(of: name, found.inode, in: parent, to: &fingerprint)
        }
        let attributes = Attributes(
            mode: UInt16(stamp.mode & 0o777),
            modified: stamp.isDirectory ? 0 : fingerprint.modified,
            extended: apple.travelling.compactMap { attribute in
                String(validating: attribute.name, as: UTF8.self).map {
                    ExtendedAttribute(name: $0, value: attribute.value)
                }
            })
        return LocalItem(
            path: path, kind: try kind(of: stamp, found.inode), fingerprint: fingerprint,
            attributes: attributes,
            exclusion: try exclusion(of: path, stamp, isFlagged: apple.isFlagged, in: parent))
    }

    private func kind(of stamp: ItemStamp, _ inode: InodeNumber) throws(LocalError) -> LocalItem.Kind {
        if stamp.isDirectory { return .directory }
        return stamp.isSymlink ? .symlink(target: try target(of: inode)) : .file
    }

    /// Of a symlink.
    func target(of inode: InodeNumber) throws(LocalError) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = try LocalError.from { () throws(Errno) in
            var count = 0
            // Array's own closure passes on no typed error.
            var failure: Errno?
            target.withUnsafeMutableBytes { buffer in
                do throws(Errno) { count = try tree.readLink(inode, into: buffer) } catch { failure = error }
            }
            if let failure { throw failure }
            return count
        }
        return Array(target[..<count])
    }

    private func exclusion(
        of path: LocalPath, _ stamp: ItemStamp, isFlagged: Bool, in parent: InodeNumber
    ) throws(LocalError) -> Exclusion? {
        guard var name = path.name else { return nil }
        // The name that it has while it is parked says nothing of it.
        if path.parkedName != nil { return isFlagged ? .flagged : nil }
        let byName = name.withUTF8 { bytes in
            CloudRule.exclusion(
                of: UnsafeRawBufferPointer(bytes), kind: ItemKind(mode: stamp.mode),
                isTopLevel: path.names.count == 1)
        }
        switch byName {
        case .kind: return .kind
        case .name: return .name
        case nil: break
        }
        if try isCompanion(name, in: parent) { return .databaseCompanion }
        return isFlagged ? .flagged : nil
    }
}

extension [CChar] {
    /// In the order of the bytes that these are.
    fileprivate func precedes(_ other: [CChar]) -> Bool {
        lazy.map(UInt8.init(bitPattern:)).lexicographicallyPrecedes(other.lazy.map(UInt8.init(bitPattern:)))
    }
}

extension Fingerprint {
    init(_ stamp: ItemStamp) {
        self.init(
            device: stamp.device, inode: stamp.inode, birth: stamp.birth, sizeBytes: stamp.sizeBytes,
            modified: stamp.modified, changed: stamp.changed)
    }
}
