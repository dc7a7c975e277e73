internal import Backup
internal import Posix
internal import Wire

/// A backup's folder that a person named, opened with their own rights.
struct OpenedBackup {
    let path: String
    let directory: SharedDescriptor

    /// The backups in `directory`, or the one that it is itself.
    /// - Parameter open: opens a path that a person named.
    /// - Throws: where there is none.
    static func all(
        in directory: String,
        _ open: (_ path: String, _ purpose: String) throws -> OpenedFile = { try OpenedFile($0, $1) }
    ) throws -> [OpenedBackup] {
        let folder = try open(directory, "read")
        guard folder.isDirectory else { throw CommandFailure("\(directory) is no folder: name one") }
        if BackupFolder.isBackup(folder.descriptor.descriptor) {
            return [OpenedBackup(path: folder.path, directory: folder.descriptor)]
        }
        let names = try BackupFolder.names(in: folder.descriptor.descriptor)
        guard !names.isEmpty else {
            throw CommandFailure(
                "there is no backup of iOS 10.2 or later in \(directory): name a backup's folder, or the one "
                    + "that holds it")
        }
        return try names.map { name in
            let opened = try open("\(folder.path)/\(name)", "read")
            return OpenedBackup(path: opened.path, directory: opened.descriptor)
        }
    }

    /// The only backup in `directory`, or the one that it is itself.
    static func one(in directory: String) throws -> OpenedBackup {
        let all = try all(in: directory)
        guard all.count == 1 else {
            let names = all.map(\.path).joined(separator: ", ")
            throw CommandFailure("there is more than one backup in \(directory): name one of \(names)")
        }
        return all[0]
    }

    /// - Parameter password: nil: asked for on a terminal, where the backup wants one.
    /// - Parameter asks: false: one that wants a password and gets none is refused.
    func reader(password: String?, asks: Bool = true) throws -> BackupReader {
        do {
            return try read(password)
        } catch let error as BackupError {
            guard error.kind == .passwordNeeded, asks else { throw error }
            return try read(try PasswordOptions.ask(isNew: false))
        }
    }

    /// Whether it wants a password.
    func isEncrypted() throws -> Bool { try BackupReader.Summary(of: source).isEncrypted }

    var source: BackupSource { .withLittleTrace(directory) }

    private func read(_ password: String?) throws -> BackupReader {
        try BackupReader(source, password: password.map { Array($0.utf8) })
    }
}
