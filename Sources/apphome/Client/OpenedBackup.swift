internal import Backup
internal import CLinux
internal import Posix
internal import Wire

/// A backup's folder that a person named, opened with their own rights.
struct OpenedBackup {
    let path: String
    let directory: SharedDescriptor

    /// Where the list of an encrypted backup is laid open, in a file without a name.
    private static let scratch = "/var/tmp"

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

    /// - Parameter password: nil: asked for on a terminal, where the backup wants one.
    func reader(password: String?) throws -> BackupReader {
        do {
            return try read(password)
        } catch let error as BackupError {
            guard error.kind == .passwordNeeded else { throw error }
            return try read(try PasswordOptions.ask(isNew: false))
        }
    }

    /// Whether it wants a password.
    func isEncrypted() throws -> Bool {
        do { return try read(nil).summary.isEncrypted } catch let error as BackupError {
            guard error.kind == .passwordNeeded else { throw error }
            return true
        }
    }

    private func read(_ password: String?) throws -> BackupReader {
        try BackupReader(
            try directory.descriptor.duplicate(), password: password.map { Array($0.utf8) },
            scratch: try Descriptor(Self.scratch, flags: lx_o_directory))
    }
}
