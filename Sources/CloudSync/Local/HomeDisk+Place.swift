internal import CLinux
internal import HomeTree
internal import Posix
package import SyncContent
package import SyncLog
internal import SystemPackage

/// How what came from elsewhere is put in place. Each step looks and acts under the directories' locks, so
/// that nothing an app does through a mount comes between.
extension HomeDisk {
    package func stage(as name: String) throws(LocalError) -> any StagedFile {
        guard StagingName.isPart(name) else { throw LocalError(.invalidArgument) }
        return try StagedCopy(name, in: tree)
    }

    package func complete(_ staged: [(file: any StagedFile, attributes: Attributes)]) {
        let files = staged.compactMap { staged in
            (staged.file as? StagedCopy).map {
                ($0, TravellingAttributes(staged.attributes, hasMode: true, hasTime: true))
            }
        }
        // The disk gets all of it before anybody waits for a part: the first one's fsync then writes the
        // journal for all.
        for (file, attributes) in files { try? file.write(attributes) }
        for (file, attributes) in files { try? file.finish(attributes) }
    }

    package func makeDurable(_ directories: Set<LocalPath>) throws(LocalError) {
        for path in directories {
            do throws(LocalError) {
                try withDirectory(path) { (directory) throws(LocalError) in
                    try opening(directory) { () throws(LocalError) in try syncDirectory(directory) }
                }
            } catch {
                if error != .gone { throw error }
            }
        }
    }

    package func place(
        _ staged: any StagedFile, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes,
        displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint {
        guard let staged = staged as? StagedCopy else { throw LocalError(.invalidArgument) }
        try staged.finish(TravellingAttributes(attributes, hasMode: true, hasTime: true))
        let exchanges = displacing != nil && rules.hold(.displacedStaysLinked)
        let flags = exchanges ? lx_rename_exchange : displacing == nil ? lx_rename_noreplace : 0
        let stamp = try withChangeableParent(of: path, being: directory) {
            (parent, name) throws(LocalError) in
            let unused = try prepareDatabase(path, name, in: parent, isDatabaseComing: staged.isDatabase)
            let stamp = try rename(
                StagingName.of(staged.name), to: name, in: parent, flags: flags, unused: unused
            ) { target in
                guard let displacing else { return target == nil }
                guard let target, target.isRegular || target.isSymlink else { return false }
                return Fingerprint(target).isAsRead(displacing)
            }
            staged.markPlaced()
            if exchanges { state.withLock { $0.displaced.add(staged.name) } }
            return stamp
        }
        return stamp
    }

    /// Renames out of staging.
    private func rename(
        _ name: String, to newName: String, in parent: InodeNumber, flags: UInt32, unused: UnusedFile?,
        if isExpected: (ItemStamp?) -> Bool
    ) throws(LocalError) -> Fingerprint {
        let stamp = try withNames(name, newName) { (name, newName) throws(Errno) in
            try tree.rename(
                name, in: tree.staging, to: newName, in: parent, flags: flags, unused: unused, .asSynced
            ) { isExpected($1) }
        }
        guard let stamp else { throw .changed }
        return Fingerprint(stamp)
    }

    package func make(
        _ content: SmallContent, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        try withChangeableParent(of: path, being: directory) { (parent, name) throws(LocalError) in
            let found = try withName(name) { (name) throws(Errno) -> Found in
                let status = try tree.attributes(of: documents)
                let owner = Owner(uid: status.st_uid, gid: status.st_gid)
                switch content {
                case .directory:
                    return try tree.makeDirectory(name, in: parent, mode: 0o700, owner: owner, .asSynced)
                case .symlink(let target):
                    return try Self.terminated(target) { (target) throws(Errno) in
                        try tree.makeSymlink(to: target, name, in: parent, owner: owner, .asSynced)
                    }
                }
            }
            defer { tree.forget(found.inode) }
            let isDirectory = content == .directory
            let travelling = TravellingAttributes(attributes, hasMode: isDirectory, hasTime: !isDirectory)
            let stamp = try withName(name) { (name) throws(Errno) in
                let stamp = try tree.apply(travelling, to: found.inode) { _ in true }
                tree.caches.announce(name, in: parent)
                return stamp
            }
            guard let stamp else { throw .changed }
            return Fingerprint(stamp)
        }
    }

    package func moving<R>(
        parks: Bool, _ body: () throws(LocalError) -> R
    ) throws(LocalError) -> R? {
        if let result = try tree.walks.moving(parks: parks, body) { return result }
        let now = clock.now()
        state.withLock { $0.movesAgainAt = now &+ Self.walkPause }
        return nil
    }

    /// So often it is tried again while somebody walks the tree.
    private static var walkPause: UInt64 { 5 * WriterProbes.second }

    package func move(
        _ path: LocalPath, to destination: LocalPath, in directory: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint {
        if let parked = destination.parkedName { try writeWay(to: path, of: parked) }
        let fingerprint = try rename(path, to: destination, in: directory, expecting: expecting)
        if let parked = path.parkedName { try removeWay(of: parked) }
        return fingerprint
    }

    private func rename(
        _ path: LocalPath, to destination: LocalPath, in directory: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint {
        try withChangeableParent(of: path) { (source, name) throws(LocalError) in
            try withChangeableParent(of: destination, being: directory) {
                (target, newName) throws(LocalError) in
                let unused = try prepareDatabase(path, name, in: source)
                let stamp = try withNames(name, newName) { (name, newName) throws(Errno) in
                    try tree.rename(
                        name, in: source, to: newName, in: target, flags: lx_rename_noreplace, unused: unused,
                        .asSynced
                    ) { present, occupant in occupant == nil && present.isExpected(expecting) }
                }
                guard let stamp else { throw .changed }
                return Fingerprint(stamp)
            }
        }
    }

    package func remove(
        _ path: LocalPath, expecting: Fingerprint, displacedAs name: String
    ) throws(LocalError) {
        guard StagingName.isPart(name) else { throw LocalError(.invalidArgument) }
        try withChangeableParent(of: path) { (parent, ownName) throws(LocalError) in
            let isFile = try stamp(ownName, in: parent)?.isRegular
            guard let isFile else { throw .gone }
            if isFile && rules.hold(.displacedStaysLinked) {
                let unused = try prepareDatabase(path, ownName, in: parent)
                try displace(ownName, in: parent, expecting, as: name, unused)
            } else {
                let isRemoved = try withName(ownName) { (ownName) throws(Errno) in
                    try tree.remove(ownName, in: parent, .asSynced) { $0.isExpected(expecting) }
                }
                if !isRemoved { throw .changed }
            }
        }
    }

    private func displace(
        _ name: String, in parent: InodeNumber, _ expecting: Fingerprint, as newName: String,
        _ unused: UnusedFile?
    ) throws(LocalError) {
        let stamp = try withNames(name, StagingName.of(newName)) { (name, newName) throws(Errno) in
            try tree.rename(
                name, in: parent, to: newName, in: tree.staging, flags: lx_rename_noreplace, unused: unused,
                .asSynced
            ) { present, _ in present.isExpected(expecting) }
        }
        if stamp == nil { throw .changed }
        state.withLock { $0.displaced.add(newName) }
    }

    package func setAttributes(
        _ path: LocalPath, _ attributes: Attributes, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint {
        let stamp = try withItem(path) { (found, _) throws(LocalError) -> ItemStamp? in
            let isDirectory = found.status.isDirectory
            let travelling = TravellingAttributes(
                attributes, hasMode: !found.status.isSymlink, hasTime: !isDirectory)
            return try LocalError.from { () throws(Errno) in
                try tree.apply(travelling, to: found.inode) { $0.isExpected(expecting) }
            }
        }
        guard let stamp else { throw .gone }
        guard let stamp else { throw .changed }
        return Fingerprint(stamp)
    }

    package func setFlag(at path: LocalPath) throws(LocalError) {
        let isDone: Bool? = try withItem(path) { (found, _) throws(LocalError) in
            guard found.status.isRegular || found.status.isDirectory else { return false }
            try LocalError.from { () throws(Errno) in try tree.setSkipBackup(found.inode) }
            return true
        }
        if isDone == nil { throw .gone }
    }
}

extension HomeDisk {
    func withNames<R>(
        _ name: String, _ other: String, _ body: (FileName, FileName) throws(Errno) -> R
    ) throws(LocalError) -> R {
        try withName(name) { (name) throws(Errno) in
            try other.withFileName { (other) throws(Errno) in try body(name, other) }
        }
    }

    /// A symlink's target is one C string.
    static func terminated<R>(
        _ target: [UInt8], _ body: (UnsafePointer<CChar>) throws(Errno) -> R
    ) throws(Errno) -> R {
        if target.isEmpty || target.contains(0) { throw .invalidArgument }
        return try (target.map { CChar(bitPattern: $0) } + [0]).withFileName { (name) throws(Errno) in
            try body(name.cString)
        }
    }
}

extension ItemStamp {
    /// A directory is known by its inode: its times change with what it holds.
    func isExpected(_ fingerprint: Fingerprint) -> Bool {
        let own = Fingerprint(self)
        return isDirectory ? own.isSameInode(as: fingerprint) : own.isAsRead(fingerprint)
    }
}

extension TravellingAttributes {
    /// Set-user-id and set-group-id come from no other device.
    init(_ attributes: Attributes, hasMode: Bool, hasTime: Bool) {
        self.init(
            mode: hasMode ? UInt32(attributes.mode) & 0o777 : nil,
            modified: hasTime ? attributes.modified : nil,
            extended: attributes.extended.map {
                AppleAttributes.Attribute(name: Array($0.name.utf8), value: $0.value)
            })
    }
}
