internal import CLinux
internal import Posix

extension BackupRun {
    /// The class of the key of Manifest.db, as on a device.
    private static let manifestClass: UInt32 = 4

    /// Ends the list of files; an encrypted backup's is encrypted into its place.
    func finishManifest() throws {
        try manifest.take()?.finish()
        guard let keys, let manifestScratch else { return }
        let (key, wrapped) = try keys.makeKey(protectionClass: Self.manifestClass)
        manifestKey = wrapped
        try valueOrErrno(lx_lseek(manifestScratch.raw, 0, 0))
        let target = try FileTree.createFile(folder.raw, BackupFolder.manifestDatabase)
        var encryptor = BlobEncryptor(key)
        while case let piece = try manifestScratch.readPiece(1 << 20), !piece.isEmpty {
            try target.writeAll(try encryptor.update(piece))
        }
        try target.writeAll(try encryptor.finish())
    }

    func writePropertyLists() throws {
        let device = options.device
        var plist = ManifestPlist()
        plist.isEncrypted = keys != nil
        plist.keybag = try keybag ?? Self.unusedKeybag()
        plist.manifestKey = manifestKey
        plist.date = options.date
        plist.apps = apps
        try Files.write(folder.raw, ManifestPlist.fileName, try plist.bytes(of: device))
        try Files.write(
            folder.raw, InfoPlist.fileName,
            try InfoPlist.bytes(of: device, apps: apps, date: options.date))
        // The last one: it says that the backup was finished.
        try Files.write(
            folder.raw, StatusPlist.fileName,
            try StatusPlist.bytes(date: options.date, isFull: !hasPrevious))
    }

    /// What a device writes into a backup that is not encrypted: readers take one that has none for broken.
    /// Nobody opens it, so that it need not be dear to make.
    private static func unusedKeybag() throws -> [UInt8] {
        let password = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        return try Keybag.create(password: password, iterations: 1, laterIterations: 1).bytes
    }

    /// The apps of this run, and those of the old backup whose domains were taken over.
    private var apps: [BackedUpApp] {
        let given = Set(options.apps.map(\.bundleID))
        return options.apps
            + previousApps.filter {
                !given.contains($0.bundleID) && options.keeps(BackupReader.domain(ofApp: $0.bundleID))
            }
    }
}
