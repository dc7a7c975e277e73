internal import CLinux
public import Posix
internal import SystemPackage

/// Makes backups in MobileSync form.
///
/// A backup is never changed in place: names of blobs are hashes of paths, so that to write one file anew
/// would ruin the old backup when the run is killed. The new one is built beside the old, as
/// `<identifier>.new`, with second names for the blobs that did not change; all of it is written to the disk,
/// then the two folders change names in one step, and the old one is removed.
public enum BackupWriter {
    /// Told after each item and each piece of a file; what it throws ends the run, with the old backup as
    /// it was.
    public typealias Progress = (BackupReport) throws -> Void
    /// Told of each step; for tests.
    public typealias Reached = (BackupStep) throws -> Void

    /// Backs `sources` up into the folder of the device's identifier in `destination`.
    ///
    /// - Parameters:
    ///   - destination: a directory, opened for reading.
    ///   - scratch: a directory for files without a name, of which an encrypted backup needs one as large as
    ///     its list of files, in the clear: on the disk where the files themselves lie in the clear.
    /// - Returns: what is in the backup, and what is not.
    /// - Throws: `BackupError`: `wrongPassword` where the one that is there has another; `refused` where it
    ///   is encrypted and this one is not, or the reverse.
    public static func run(
        _ options: BackupOptions, sources: [DomainTree], in destination: borrowing Descriptor,
        scratch: borrowing Descriptor, progress: @escaping Progress = { _ in },
        reached: @escaping Reached = { _ in }
    ) throws(BackupError) -> BackupReport {
        let (destinationRaw, scratchRaw) = (destination.raw, scratch.raw)
        return try BackupError.translating("write the backup") {
            try FolderLock.hold(destinationRaw, isWaiting: { try progress(BackupReport()) }) {
                let run = try BackupRun(
                    options, in: destinationRaw, scratch: scratchRaw, progress: progress, reached: reached)
                try run.work(sources)
                return run.report
            }
        }
    }
}

/// One run, from the empty folder to the removal of the old one.
final class BackupRun {
    static let newSuffix = ".new"

    let options: BackupOptions
    let destination: Int32
    let scratch: Int32
    let progress: BackupWriter.Progress
    let reached: BackupWriter.Reached

    let folder: Descriptor
    var blobs: BlobFolders
    var previous: PreviousBackup?
    let hasPrevious: Bool
    let keys: UnlockedKeybag?
    let keybag: [UInt8]?
    var copier: BlobCopier
    var manifest: ManifestWriter?
    // Where the list is written in the clear until it is encrypted; nil for a plain backup.
    let manifestScratch: ScratchFile?
    var manifestKey: [UInt8]?
    let previousApps: [BackedUpApp]
    var report = BackupReport()

    // The old one lies under the new one's name until it is removed.
    private var isPublished = false

    private var name: String { options.device.identifier }

    init(
        _ options: BackupOptions, in destination: Int32, scratch: Int32,
        progress: @escaping BackupWriter.Progress, reached: @escaping BackupWriter.Reached
    ) throws {
        self.options = options
        self.destination = destination
        self.scratch = scratch
        self.progress = progress
        self.reached = reached
        let name = options.device.identifier
        let old = try Self.openPrevious(name, options, in: destination)
        hasPrevious = try FileTree.exists(destination, name)
        // Before anything is copied.
        if hasPrevious { try Files.refuseWithoutExchange(destination, of: name) }
        if let old, let keybag = old.plist.keybag, old.keys != nil {
            // The same keys, for blobs that are linked are encrypted with keys wrapped by them.
            (self.keybag, keys) = (keybag, old.keys)
        } else if let password = options.password {
            let made = try Keybag.create(password: password, iterations: options.iterations)
            (keybag, keys) = (made.bytes, made.unlocked)
        } else {
            (keybag, keys) = (nil, nil)
        }
        previousApps = old?.plist.apps ?? []
        previous = old
        copier = BlobCopier(keys: keys)
        try FolderLock.makeRoom(destination, name + Self.newSuffix) { try progress(BackupReport()) }
        folder = try Files.makeDirectory(destination, name + Self.newSuffix)
        blobs = BlobFolders(in: folder.raw, makes: true)
        if keys == nil {
            manifestScratch = nil
            manifest = try ManifestWriter(folder.raw, BackupFolder.manifestDatabase)
        } else {
            let file = try ScratchFile(in: scratch)
            manifest = try ManifestWriter(scratch, file.name)
            manifestScratch = file
        }
        try reached(.prepared)
    }

    /// The backup that is there; nil where there is none.
    private static func openPrevious(
        _ name: String, _ options: BackupOptions, in destination: Int32
    ) throws -> PreviousBackup? {
        guard try FileTree.exists(destination, name) else { return nil }
        let directory = BackupSource(SharedDescriptor(try FileTree.openDirectory(destination, name)))
        let plist = try BackupFolder.plist(directory)
        guard plist.isEncrypted == (options.password != nil) else {
            throw BackupError(
                .refused,
                "the backup there is \(plist.isEncrypted ? "encrypted" : "not encrypted"), "
                    + "and this one would \(plist.isEncrypted ? "not be" : "be"): "
                    + "make it the same way, or in another folder")
        }
        return try PreviousBackup(directory, password: options.password)
    }

    /// What could not be ended goes: it takes room, which may be what lacked.
    func work(_ sources: [DomainTree]) throws {
        do {
            try writeAll(sources)
        } catch {
            let isOrderly = error is CancellationError || error is BackupError || error is Errno
            if isOrderly, !isPublished {
                previous = nil
                try? TreeRemoval.remove(destination, name + Self.newSuffix)
            }
            throw error
        }
    }

    private func writeAll(_ sources: [DomainTree]) throws {
        for source in sources {
            try source.walk(
                visit: { item in
                    // So that `work` knows an error of SQLite too, and removes what was begun.
                    try BackupError.translating("write the backup") { try self.write(item, of: source) }
                    try self.reached(.itemWritten)
                    try self.progress(self.report)
                }, leaveOut: { self.report.leaveOut($0) })
        }
        try keepOthers(but: Set(sources.map(\.domain)))
        try reached(.othersKept)
        try finishManifest()
        try reached(.manifestWritten)
        try writePropertyLists()
        try reached(.propertyListsWritten)
        // One call for all of it: a sync for each of 100,000 blobs takes minutes.
        try valueOrErrno(lx_syncfs(folder.raw))
        try reached(.synchronized)
        try publish()
    }

    private func publish() throws {
        let new = name + Self.newSuffix
        if hasPrevious {
            try Renaming.exchange(new, name, in: destination)
        } else {
            try Renaming.withoutReplacing(new, in: destination, to: name)
        }
        isPublished = true
        try valueOrErrno(lx_fsync(destination, 0))
        try reached(.exchanged)
        previous = nil
        if try FolderLock.removeReplaced(destination, new) { try reached(.previousRemoved) }
    }
}
