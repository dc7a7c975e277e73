internal import CLinux
internal import Posix
internal import SystemPackage
internal import Wire

/// A folder that a person named to write into. It is made where it is missing, and is the device's owner's
/// then: what is written there is written with his rights.
struct TargetFolder {
    let opened: OpenedFile
    /// Where it was made; nil where it was there.
    private let place: (parent: SharedDescriptor, name: String)?

    /// - Parameter owner: whose device is worked on.
    init(_ path: String, deviceOf owner: Owner) throws {
        let named = FilePath(path)
        let parent = named.removingLastComponent().string
        let name = named.lastComponent?.string ?? "."
        do throws(Errno) {
            let flags = lx_o_path | lx_o_directory
            let (folder, user) = try NamedPath.open(
                parent.isEmpty ? "." : parent, flags: flags, deviceOf: owner)
            if let made = try Self.make(name, in: folder, user, owner) {
                opened = try OpenedFile(made, named: path, user)
                place = (folder, name)
                return
            }
        } catch {
            throw CommandFailure("cannot make \(path): \(error)")
        }
        opened = try OpenedFile(path, "write into", deviceOf: owner)
        place = nil
        guard opened.isDirectory else { throw CommandFailure("\(path) is no folder: name one with --to") }
    }

    /// - Parameter user: who can change what `parent` holds; nil: only root, and nobody who is not its owner.
    /// - Returns: nil where it was there.
    private static func make(
        _ name: String, in parent: SharedDescriptor, _ user: UserRights?, _ owner: Owner
    ) throws(Errno) -> SharedDescriptor? {
        let work = { () throws(Errno) -> SharedDescriptor? in
            let made = lx_mkdirat(parent.raw, name, 0o700)
            if made == -Errno.fileExists.rawValue { return nil }
            try valueOrErrno(made)
            return SharedDescriptor(try FileTree.openDirectory(parent.raw, name))
        }
        // What the user makes is his at once: nothing has to be given away where he can exchange it.
        if let user { return try user.calling(work) }
        let folder = try work()
        if let folder, Process.effectiveUserID == 0, owner.uid != 0 {
            try valueOrErrno(lx_chownat(folder.raw, "", owner.uid, owner.gid))
        }
        return folder
    }

    /// Removes the folder where it was made here, is still what has the name, and is empty.
    func removeIfMade() {
        guard let (parent, name) = place else { return }
        let remove = { () throws(Errno) in
            guard try ItemStamp(parent.raw, name).identity == ItemStamp(of: opened.descriptor.raw).identity
            else { return }
            try valueOrErrno(lx_unlinkat(parent.raw, name, lx_at_removedir))
        }
        try? opened.user.map { user in try user.calling(remove) } ?? remove()
    }
}
