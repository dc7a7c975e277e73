internal import CLinux
internal import Foundation
internal import Posix
internal import SystemPackage

/// The backup that is there already, for what did not change since.
final class PreviousBackup {
    let plist: ManifestPlist
    let keys: UnlockedKeybag?
    private let source: BackupSource
    private let manifest: ManifestReader
    private let lookup: ManifestReader.Lookup
    private var folders: BlobFolders
    /// Seconds since 1970.
    private let began: Int64

    private static let cacheBytes = 32 << 20

    init(_ source: BackupSource, password: [UInt8]?) throws {
        self.source = source
        let folder = try BackupFolder.Opened(source, password: password, cacheBytes: Self.cacheBytes)
        plist = folder.plist
        keys = folder.keys
        manifest = folder.manifest
        lookup = try manifest.lookup()
        folders = BlobFolders(in: source.directory.raw, makes: false)
        began = Int64(plist.date.timeIntervalSince1970.rounded(.down))
    }

    /// The row of `identifier`, where its file has not changed since.
    ///
    /// Records keep whole seconds. So a file that was written in the second in which the backup began, or
    /// later, is not known to be the same, however its times compare.
    func unchanged(_ identifier: FileIdentifier, _ stamp: ItemStamp) throws -> ManifestReader.Row? {
        let modified = wholeSeconds(ofNanoseconds: stamp.modified)
        let changed = wholeSeconds(ofNanoseconds: stamp.changed)
        guard max(modified, changed) < began, let row = try lookup.row(identifier), row.kind == .file else {
            return nil
        }
        let record = row.record
        let isSame =
            record.inode == stamp.inode && UInt64(record.sizeBytes) == stamp.sizeBytes
            && record.modifiedSeconds == modified && record.changedSeconds == changed
            && record.birthSeconds == wholeSeconds(ofNanoseconds: stamp.birth) && record.mode == stamp.mode
        return isSame ? row : nil
    }

    func domains() throws -> [String] { try manifest.domains() }

    func forEachRow(in domain: String, _ body: (ManifestReader.Row) throws -> Void) throws {
        try manifest.forEachRow(of: .domain(domain), body)
    }

    /// Gives a blob a second name in `folder`, the folder of its identifier in the new backup.
    /// - Returns: false where the blob is not there, not whole, or cannot be linked: it is to be made anew.
    func link(_ row: ManifestReader.Row, to folder: Int32) throws(Errno) -> Bool {
        do throws(Errno) {
            let source = try folders.folder(of: row.identifier)
            let name = row.identifier.description
            let stamp = try ItemStamp(source, name)
            let stored =
                keys == nil ? row.record.sizeBytes : BlobCipher.encryptedBytes(of: row.record.sizeBytes)
            guard stamp.isRegular, stamp.sizeBytes == UInt64(clamping: stored) else { return false }
            try valueOrErrno(lx_linkat(source, name, folder, name, 0))
            return true
        } catch {
            switch error {
            // Another name for a file is not to be had here: too many, another owner's, no such thing.
            case .noSuchFileOrDirectory, .tooManyLinks, .notPermitted, .operationNotSupported, .improperLink:
                return false
            default: throw error
            }
        }
    }

    /// The blob of `row`, opened; nil where there is none.
    func openBlob(_ row: ManifestReader.Row) throws(Errno) -> Descriptor? {
        try FileTree.openFile(try folders.folder(of: row.identifier), row.identifier.description)
    }
}
