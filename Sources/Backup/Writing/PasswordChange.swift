internal import Foundation
public import Posix
internal import PropertyLists

/// Gives an encrypted backup another password: the keys of its classes are wrapped anew, contents stay as
/// they are.
public enum PasswordChange {
    /// - Parameter directory: the backup's folder.
    /// - Throws: `wrongPassword`; `refused` for a backup that is not encrypted, or that is being read.
    public static func run(
        _ directory: borrowing Descriptor, from old: [UInt8], to new: [UInt8]
    ) throws(BackupError) {
        let raw = directory.raw
        try BackupError.translating("change the backup's password") {
            let name = ManifestPlist.fileName
            guard !new.isEmpty else { throw BackupError(.refused, "the new password is empty: give one") }
            try FolderLock.hold(raw, waitSeconds: 5, isWaiting: {}) {
                guard let bytes = try Files.read(raw, name, limitBytes: BackupFolder.plistLimitBytes) else {
                    throw BackupError(
                        .notABackup, "there is no Manifest.plist: this is no backup of iOS 10.2 or later")
                }
                let plist = try ManifestPlist(bytes)
                guard plist.isEncrypted, let keybag = plist.keybag, let key = plist.manifestKey else {
                    throw BackupError(
                        .refused,
                        "this backup is not encrypted: make one that is with backup create --encrypt")
                }
                // The keys may be another bag's.
                _ = try Keybag(keybag).unlock(password: old).open(key)
                var values = try PropertyList.dictionary(bytes)
                values[ManifestPlist.keybagKey] = Data(try Keybag.rewrapped(keybag, from: old, to: new))
                let mode = try ItemStamp(raw, name).permissions
                try FileTree.replace(raw, name, try PropertyList.binary(values), mode: mode)
            }
        }
    }
}
