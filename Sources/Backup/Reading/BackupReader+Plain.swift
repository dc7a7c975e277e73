internal import Foundation
internal import Posix
internal import PropertyLists
internal import SystemPackage

/// What a backup would be if it were not encrypted.
extension BackupReader {
    /// How long its list is, without what was added to encrypt it.
    package func listBytes() throws(BackupError) -> Int64 {
        try BackupError.translating("read the list") {
            let stored = list.sizeBytes
            let block = UInt64(BlobCipher.blockBytes)
            // Pages are whole.
            guard summary.isEncrypted, stored >= block, stored % 512 != 0 else {
                return Int64(clamping: stored)
            }
            let end = try list.read(offset: stored - block, count: Int(block))
            let padding = end.suffix(Int(end.last ?? 0))
            return Int64(clamping: stored - (BlobCipher.isPadding(padding) ? UInt64(padding.count) : 0))
        }
    }

    /// Its property lists, by their names; one that it lacks is left out.
    package func plainPropertyLists() throws(BackupError) -> [(name: String, bytes: [UInt8])] {
        try BackupError.translating("read the property lists") {
            try [InfoPlist.fileName, ManifestPlist.fileName, StatusPlist.fileName].compactMap { name in
                guard let bytes = try source.read(name, limitBytes: BackupFolder.plistLimitBytes) else {
                    return nil
                }
                return (name, name == ManifestPlist.fileName ? try ManifestPlist.withoutKeys(bytes) : bytes)
            }
        }
    }
}

extension ManifestPlist {
    /// The same of a backup that is not encrypted. A keybag stays: such a backup has one too.
    fileprivate static func withoutKeys(_ bytes: [UInt8]) throws -> [UInt8] {
        var values = try PropertyList.dictionary(bytes)
        values["IsEncrypted"] = false
        values["ManifestKey"] = nil
        return try PropertyList.binary(values)
    }
}
