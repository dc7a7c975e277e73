internal import CLinux
internal import Posix
internal import SystemPackage

/// A container's tree, copied into another directory.
final class TreeCopy {
    private let tree: DomainTree
    let writer: TreeWriter
    private let limitBytes: Int64
    private(set) var report = BackupReport()

    private static let attempts = 3

    /// - Parameter limitBytes: more content than that is refused.
    init(_ tree: DomainTree, _ writer: TreeWriter, limitBytes: Int64) {
        self.tree = tree
        self.writer = writer
        self.limitBytes = limitBytes
    }

    /// - Parameter takes: whether an item at this path is copied; a directory that is not takes all below it
    ///   along.
    func run(_ progress: BackupWriter.Progress, takes: (String) -> Bool) throws {
        try tree.walk(
            visit: { item in
                guard !item.path.isEmpty, takes(item.path) else { return }
                try BackupError.translating("copy \(item.path)") { _ = try self.copy(item, progress) }
                try progress(self.report)
            }, leaveOut: { self.report.leaveOut($0) })
        // Again: a directory's time is that of the last change in it until it is set at the end.
        try tree.walk(
            visit: { item in
                guard item.kind == .directory, !item.path.isEmpty, takes(item.path) else { return }
                try BackupError.translating("copy \(item.path)") {
                    try self.writer.makeDirectory(item.path)
                    try self.writer.finish(directory: item.path, item.written)
                }
            }, leaveOut: { _ in })
        try writer.finishAll()
    }

    /// - Returns: false for a file that is gone, or cannot be read.
    func copy(_ item: BackupItem, _ progress: BackupWriter.Progress) throws -> Bool {
        switch item.kind {
        case .directory: try writer.makeDirectory(item.path)
        case .symlink(let text):
            try writer.makeSymlink(item.path, text: text, modified: .init(of: item.stamp))
        case .file, .database: guard try copyFile(item, progress) else { return false }
        }
        report.items += 1
        return true
    }

    private func copyFile(_ item: BackupItem, _ progress: BackupWriter.Progress) throws -> Bool {
        guard item.stamp.sizeBytes <= UInt64(clamping: limitBytes - report.bytes) else {
            throw BackupError(.noRoom, "there is no room for \(item.path); free some and try again")
        }
        let opened: SharedDescriptor
        do throws(Errno) { opened = SharedDescriptor(try tree.open(item)) } catch {
            if error == .noSuchFileOrDirectory { return false }
            guard error.isUnreadableItem else { throw error }
            report.leaveOut(LeftOutItem(domain: tree.domain, path: item.path, reason: .unreadable))
            return false
        }
        var size: Int64 = 0
        try writer.makeFile(item.path, item.written) { target in
            if item.kind == .database, try self.tree.copyDatabase(item, to: target.raw) {
                size = Int64(clamping: try ItemStamp(of: target.raw).sizeBytes)
                return
            }
            size = try self.copyContent(opened, to: target, item, progress)
        }
        report.files += 1
        report.bytes = report.bytes.addingSaturated(size)
        return true
    }

    /// Reads again where the file was written meanwhile.
    private func copyContent(
        _ source: SharedDescriptor, to target: borrowing Descriptor, _ item: BackupItem,
        _ progress: BackupWriter.Progress
    ) throws -> Int64 {
        var attempt = 0
        while true {
            attempt += 1
            let before = try ItemStamp(of: source.raw)
            try valueOrErrno(lx_ftruncate(target.raw, 0))
            let size = try FileCopy.contents(of: source.raw, to: target.raw) { (_) throws(Errno) in
                do { try progress(report) } catch { throw .canceled }
            }
            let isStable =
                try ItemStamp(of: source.raw) == before && UInt64(clamping: size) == before.sizeBytes
            if isStable { return size }
            guard attempt < Self.attempts else {
                report.leaveOut(LeftOutItem(domain: tree.domain, path: item.path, reason: .changing))
                return size
            }
        }
    }
}

extension BackupItem {
    /// What a copy of it is to have.
    var written: TreeWriter.Attributes {
        TreeWriter.Attributes(
            mode: stamp.mode, modified: .init(of: stamp),
            list: attributes.map { FileRecord.Attribute(name: $0.name, value: $0.value) })
    }
}
