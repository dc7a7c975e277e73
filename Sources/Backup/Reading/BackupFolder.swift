internal import Crypto
internal import Foundation
public import Posix
internal import SystemPackage

/// A backup's folder as it is found: opened, checked, its list ready to be read. Nothing is written into it.
public enum BackupFolder {
    static let manifestDatabase = "Manifest.db"
    /// A few bytes of keys, names of apps and their versions: far above what hundreds of apps need.
    static let plistLimitBytes = 16 << 20

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

    static func plist(_ source: BackupSource) throws -> ManifestPlist {
        guard let bytes = try source.read(ManifestPlist.fileName, limitBytes: plistLimitBytes) else {
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

        /// The list itself, decrypted.
        let list: BlobBytes

        /// - Throws: `passwordNeeded`, `wrongPassword`, `notABackup`, `damaged`.
        init(_ source: BackupSource, password: [UInt8]?, cacheBytes: Int) throws {
            plist = try BackupFolder.plist(source)
            let key = try Self.unlock(plist, password)
            keys = key?.bag
            guard let file = try source.openFile(manifestDatabase) else {
                throw BackupError(
                    .notABackup, "there is no Manifest.db: this is no backup of iOS 10.2 or later")
            }
            list = try BlobBytes(file, key?.list)
            manifest = try ManifestReader(list, cacheBytes: cacheBytes)
        }

        /// - Returns: nil for a backup that is not encrypted.
        private static func unlock(
            _ plist: ManifestPlist, _ password: [UInt8]?
        ) throws -> (bag: UnlockedKeybag, list: SymmetricKey)? {
            guard plist.isEncrypted else { return nil }
            guard let keybag = plist.keybag, let key = plist.manifestKey else {
                throw BackupError.damaged("Manifest.plist says encrypted and has no keys")
            }
            let bag = try Keybag(keybag)
            guard let password else {
                throw BackupError(.passwordNeeded, "this backup is encrypted: give its password")
            }
            let keys = try bag.unlock(password: password)
            return (keys, try keys.open(key))
        }
    }
}
