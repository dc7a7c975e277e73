internal import Crypto
internal import Foundation
public import Posix
internal import SystemPackage

/// A backup's folder as it is found: opened, checked, its list ready to be read. Nothing is written into it.
public enum BackupFolder {
    static let manifestDatabase = "Manifest.db"
    /// A few bytes of keys, names of apps and their versions: far above what hundreds of apps need.
    private static let plistLimitBytes = 16 << 20

    /// Names in `directory` of folders that hold a backup; `.new` ones, which a run left unfinished, are not.
    /// - Throws: `BackupError` where the directory cannot be read.
    public static func names(in directory: borrowing Descriptor) throws(BackupError) -> [String] {
        let raw = directory.raw
        return try BackupError.translating("look for backups") { try names(in: raw) }
    }

    private static func names(in directory: Int32) throws -> [String] {
        let folder = try FileTree.openDirectory(directory, ".")
        return try DirectoryEntries.names(in: folder.raw).map(\.nameText)
            .filter { try BackedUpDevice.isIdentifier($0) && holdsBackup(directory, $0) }
            .sorted()
    }

    /// Whether `directory` itself is a backup's folder.
    public static func isBackup(_ directory: borrowing Descriptor) -> Bool {
        (try? FileTree.exists(directory.raw, ManifestPlist.fileName)) == true
    }

    private static func holdsBackup(_ directory: Int32, _ name: String) throws(Errno) -> Bool {
        do throws(Errno) {
            return try FileTree.openFile(directory, "\(name)/\(ManifestPlist.fileName)") != nil
        } catch {
            if error == .permissionDenied { return false }
            throw error
        }
    }

    static func plist(_ directory: Int32) throws -> ManifestPlist {
        guard let bytes = try Files.read(directory, ManifestPlist.fileName, limitBytes: plistLimitBytes)
        else {
            throw BackupError(
                .notABackup, "there is no Manifest.plist: this is no backup of iOS 10.2 or later")
        }
        return try ManifestPlist(bytes)
    }

    /// Keys and list of an opened folder.
    struct Opened {
        let plist: ManifestPlist
        let keys: UnlockedKeybag?
        let manifest: ManifestReader

        /// - Throws: `passwordNeeded`, `wrongPassword`, `notABackup`, `damaged`.
        init(_ directory: Int32, password: [UInt8]?, scratch: Int32) throws {
            plist = try BackupFolder.plist(directory)
            guard plist.isEncrypted else {
                keys = nil
                // SQLite waits for who writes into a pipe.
                guard try FileTree.openFile(directory, manifestDatabase) != nil else { throw Self.noList }
                manifest = try ManifestReader(directory, manifestDatabase)
                return
            }
            guard let keybag = plist.keybag, let key = plist.manifestKey else {
                throw BackupError.damaged("Manifest.plist says encrypted and has no keys")
            }
            let bag = try Keybag(keybag)
            guard let password else {
                throw BackupError(.passwordNeeded, "this backup is encrypted: give its password")
            }
            let keys = try bag.unlock(password: password)
            self.keys = keys
            guard let list = try FileTree.openFile(directory, manifestDatabase) else { throw Self.noList }
            manifest = try Self.decrypt(list, try keys.open(key), scratch: scratch)
        }

        private static var noList: BackupError {
            BackupError(.notABackup, "there is no Manifest.db: this is no backup of iOS 10.2 or later")
        }

        /// Lays the list open in a file of `scratch` whose name is gone at once.
        private static func decrypt(
            _ list: borrowing Descriptor, _ key: SymmetricKey, scratch: Int32
        ) throws -> ManifestReader {
            let file = try ScratchFile(in: scratch)
            var decryptor = BlobDecryptor(key)
            while case let piece = try list.readPiece(1 << 20), !piece.isEmpty {
                guard piece.count % BlobCipher.blockBytes == 0 else {
                    throw BackupError.damaged("Manifest.db is cut off")
                }
                try file.writeAll(try decryptor.update(piece))
            }
            // The padding behind the last page is no concern of SQLite's.
            return try ManifestReader(scratch, file.name)
        }
    }
}
