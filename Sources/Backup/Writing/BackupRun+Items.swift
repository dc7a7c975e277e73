internal import CLinux
internal import Posix
internal import SystemPackage

extension BackupRun {
    /// How often a file is read again that was written meanwhile.
    private static let attempts = 3

    func write(_ item: BackupItem, of source: DomainTree) throws {
        let identifier = FileIdentifier(domain: source.domain, path: item.path)
        switch item.kind {
        case .directory:
            try add(identifier, item, source, .directory, FileRecord(item))
        case .symlink(let text):
            var record = FileRecord(item)
            record.target = text
            try add(identifier, item, source, .symlink, record)
        case .file:
            if try linkUnchanged(identifier, item, source) { return }
            try copyFile(identifier, item, source)
        case .database:
            // What a log holds changes nothing of the database's own file.
            let hasParts = try DatabaseFiles.hasParts(item.name, in: item.directory)
            if !hasParts, try linkUnchanged(identifier, item, source) { return }
            try copyDatabase(identifier, item, source, hasParts: hasParts)
        }
    }

    private func add(
        _ identifier: FileIdentifier, _ item: BackupItem, _ source: DomainTree, _ kind: RowKind,
        _ record: FileRecord
    ) throws {
        try manifest?.add(
            identifier, domain: source.domain, path: item.path, kind: kind, archived: record.archived)
        report.items += 1
        guard kind == .file else { return }
        report.files += 1
        report.bytes = report.bytes.addingSaturated(record.sizeBytes)
    }

    private func linkUnchanged(
        _ identifier: FileIdentifier, _ item: BackupItem, _ source: DomainTree
    ) throws -> Bool {
        guard let row = try previous?.unchanged(identifier, item.stamp) else { return false }
        let folder = try blobs.folder(of: identifier)
        do {
            guard try previous?.link(row, to: folder) == true else { return false }
        } catch Errno.fileExists {
            // Met twice, in a directory that changes while it is listed.
            return true
        }
        try addUnchanged(row)
        return true
    }

    private func addUnchanged(_ row: ManifestReader.Row) throws {
        try manifest?.add(
            row.identifier, domain: row.domain, path: row.path, kind: row.kind, archived: row.archived)
        report.items += 1
        guard row.kind == .file else { return }
        report.files += 1
        report.unchangedFiles += 1
        report.bytes = report.bytes.addingSaturated(row.record.sizeBytes)
    }

    /// A file as it was at one moment: read again where its stamp differs after reading.
    private func copyFile(
        _ identifier: FileIdentifier, _ item: BackupItem, _ source: DomainTree
    ) throws {
        guard let blob = try createBlob(identifier) else { return }
        var attempt = 0
        while true {
            attempt += 1
            do {
                let file = try source.open(item)
                let before = try ItemStamp(of: file.raw)
                let copied = try copy(file.raw, to: blob.raw)
                let isStable = try ItemStamp(of: file.raw) == before && copied.sizeBytes == before.sizeBytes
                guard isStable || attempt >= Self.attempts else {
                    try empty(blob.raw)
                    continue
                }
                var record = FileRecord(item, before)
                record.take(copied)
                if !isStable {
                    record.inode = 0
                    report.leaveOut(LeftOutItem(domain: source.domain, path: item.path, reason: .changing))
                }
                try add(identifier, item, source, .file, record)
                return
            } catch let error as Errno {
                try removeBlob(identifier)
                // Removed since it was listed: then it is not missing.
                if error == .noSuchFileOrDirectory { return }
                guard error.isUnreadableItem else { throw error }
                report.leaveOut(LeftOutItem(domain: source.domain, path: item.path, reason: .unreadable))
                return
            }
        }
    }

    private func copyDatabase(
        _ identifier: FileIdentifier, _ item: BackupItem, _ source: DomainTree, hasParts: Bool
    ) throws {
        let whole = try ScratchFile(in: scratch)
        guard try source.copyDatabase(item, to: whole.raw) else {
            report.leaveOut(LeftOutItem(domain: source.domain, path: item.path, reason: .databaseBusy))
            return try copyDatabaseFiles(identifier, item, source)
        }
        guard let blob = try createBlob(identifier) else { return }
        try valueOrErrno(lx_lseek(whole.raw, 0, 0))
        var record = FileRecord(item)
        record.take(try copy(whole.raw, to: blob.raw))
        // The copy may hold what only the log had, so that the file's own times tell nothing of it.
        if hasParts || record.sizeBytes != item.stamp.sizeBytes { record.inode = 0 }
        try add(identifier, item, source, .file, record)
    }

    /// The database and its log as they are found, each a file of its own: what iOS's backup does.
    private func copyDatabaseFiles(
        _ identifier: FileIdentifier, _ item: BackupItem, _ source: DomainTree
    ) throws {
        try copyFile(identifier, item, source)
        for part in try source.parts(of: item) {
            try copyFile(FileIdentifier(domain: source.domain, path: part.path), part, source)
        }
    }

    private func copy(_ file: Int32, to blob: Int32) throws -> BlobCopier.Copied {
        try copier.copy(file, to: blob, protectionClass: FileRecord.defaultProtectionClass) { sizeBytes in
            var report = report
            report.bytes = report.bytes.addingSaturated(sizeBytes)
            try progress(report)
        }
    }

    /// - Returns: nil where the blob is there: its item was met twice.
    private func createBlob(_ identifier: FileIdentifier) throws -> Descriptor? {
        do {
            return try FileTree.createFile(try blobs.folder(of: identifier), identifier.description)
        } catch Errno.fileExists {
            return nil
        }
    }

    private func empty(_ blob: Int32) throws(Errno) {
        try valueOrErrno(lx_ftruncate(blob, 0))
        try valueOrErrno(lx_lseek(blob, 0, 0))
    }

    private func removeBlob(_ identifier: FileIdentifier) throws(Errno) {
        try valueOrErrno(lx_unlinkat(try blobs.folder(of: identifier), identifier.description, 0))
    }

    /// Takes over what the old backup has of domains that are not backed up now.
    func keepOthers(but domains: Set<String>) throws {
        // They are in the backup, and nobody asked for them.
        let asked = report
        var dropped = 0
        for domain in try previous?.domains() ?? [] where !domains.contains(domain) {
            guard options.keeps(domain) else {
                dropped += 1
                continue
            }
            try previous?.forEachRow(in: domain) { row in
                if row.kind == .file { try keepBlob(row) }
                try addUnchanged(row)
                try progress(report)
            }
        }
        report = asked
        report.dropped = dropped
    }

    private func keepBlob(_ row: ManifestReader.Row) throws {
        let folder = try blobs.folder(of: row.identifier)
        if try previous?.link(row, to: folder) == true { return }
        guard let old = try previous?.openBlob(row) else {
            // Devices make no blob for some empty files.
            if row.record.sizeBytes == 0 { return }
            throw BackupError.damaged(
                "the content of \(row.domain)/\(row.path) is missing from the old backup")
        }
        let new = try FileTree.createFile(folder, row.identifier.description)
        while case let piece = try old.readPiece(1 << 20), !piece.isEmpty { try new.writeAll(piece) }
    }
}

extension FileRecord {
    /// - Parameter stamp: of the moment when the content was read; nil: when the item was met.
    init(_ item: BackupItem, _ stamp: ItemStamp? = nil) {
        let stamp = stamp ?? item.stamp
        self.init(mode: stamp.mode)
        modifiedSeconds = wholeSeconds(ofNanoseconds: stamp.modified)
        changedSeconds = wholeSeconds(ofNanoseconds: stamp.changed)
        birthSeconds = wholeSeconds(ofNanoseconds: stamp.birth)
        inode = stamp.inode
        relativePath = item.path
        attributes = item.attributes.map { Attribute(name: $0.name, value: $0.value) }
    }

    mutating func take(_ copied: BlobCopier.Copied) {
        sizeBytes = copied.sizeBytes
        digest = copied.digest
        encryptionKey = copied.encryptionKey
        protectionClass = Self.defaultProtectionClass
    }
}
