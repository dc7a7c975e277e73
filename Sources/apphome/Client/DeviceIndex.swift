internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// From a mount back to its device: the mount table knows the device's id, and here is where that lives.
///
/// Devices with a name are found by looking; for those with a path of their own a link `by-id/ID` is left
/// beside the devices' folder when they are mounted.
enum DeviceIndex {
    /// A device as it was noted.
    struct Entry: Equatable {
        let path: String
        /// Whose it was then: the link is that user's.
        let ownerID: UInt32
    }

    /// Notes where the device of this id is.
    ///
    /// An id is text in the device's folder: another user can copy it from anywhere.
    /// - Returns: the device that keeps the id, where another user's device has it too; else nil.
    static func note(id: String, path: String, owner: Owner) -> Entry? {
        guard isIdentifier(id), let folder = try? folder() else { return nil }
        if let known = entry(of: id), known.path != path, known.ownerID != owner.uid,
            owner.uid != Process.effectiveUserID, isThere(known)
        {
            return known
        }
        // Whose home this is may exchange it: HOME is not always the one of who this is.
        guard let index = try? DeviceLocation.openFolder(folder, owner: .current, makes: true),
            let stamp = try? ItemStamp(of: index)
        else { return nil }
        try? Owner(uid: stamp.uid, gid: stamp.gid).calling { () throws(Errno) in
            let aside = id + ".\(getpid())"
            try valueOrErrno(lx_symlinkat(path, index.raw, aside))
            _ = lx_chownat(index.raw, aside, owner.uid, owner.gid)
            if lx_renameat2(index.raw, aside, index.raw, id, 0) < 0 { _ = lx_unlinkat(index.raw, aside, 0) }
        }
        return nil
    }

    /// Forgets the device that was there: its link would lead nowhere for good.
    static func forget(_ path: String) {
        guard let folder = try? folder(), let index = try? Descriptor(folder, flags: O_DIRECTORY) else {
            return
        }
        for (id, entry) in entries where entry.path == path { _ = lx_unlinkat(index.raw, id, 0) }
    }

    /// What was noted for this id; nil where nothing was.
    static func entry(of id: String) -> Entry? {
        (try? folder()).flatMap { entry(of: id, in: $0) }
    }

    private static func entry(of id: String, in folder: String) -> Entry? {
        guard isIdentifier(id) else { return nil }
        var details = stat()
        guard lstat(folder + "/" + id, &details) == 0, let path = try? linkTarget(folder + "/" + id) else {
            return nil
        }
        return Entry(path: String(decoding: path, as: UTF8.self), ownerID: details.st_uid)
    }

    private static func isThere(_ entry: Entry) -> Bool {
        var details = stat()
        return stat(entry.path, &details) == 0 && details.st_uid == entry.ownerID
            && (try? DeviceLocation(entry.path).isMissing) == false
    }

    /// Where the devices were that were noted.
    static var paths: [String] { entries.map(\.entry.path) }

    /// The id under which a device was noted; nil where none was.
    static func identifier(of path: String) -> String? {
        entries.first { $0.entry.path == path }?.id
    }

    /// All that was noted. There may be thousands: where they are is asked once.
    private static var entries: [(id: String, entry: Entry)] {
        guard let folder = try? folder(), let index = try? Descriptor(folder, flags: O_DIRECTORY),
            let names = try? DirectoryEntries.names(in: index)
        else { return [] }
        return names.compactMap { name in entry(of: name.nameText, in: folder).map { (name.nameText, $0) } }
    }

    private static func folder() throws -> String { try DeviceLocation.folder(of: nil) + "/by-id" }

    private static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || $0 == 0x2d
            }
    }
}
