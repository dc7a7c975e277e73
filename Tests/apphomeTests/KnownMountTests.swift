import CLinux
import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

/// How root's daemon ends what an ordinary user has mounted.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct KnownMountTests {
    @Test(arguments: [true, false])
    func itsDirectoryGoesWhereItsUserMayRemoveItAndElseStays(_ isUsers: Bool) throws {
        let mount = try UsersMount(parentIsUsers: isUsers)
        try mount.known.unmount(lazy: false)
        #expect(mounts(below: mount.parent) == [])
        #expect(access(mount.path, F_OK) == (isUsers ? -1 : 0))
    }

    @Test func whatItsUserCannotReachIsNotEndedForHim() throws {
        let mount = try UsersMount(parentIsUsers: false)
        #expect(chmod(mount.parent, 0o700) == 0)
        for lazy in [false, true] {
            #expect(throws: MountError.notMounted(mount.path)) { try mount.known.unmount(lazy: lazy) }
        }
        #expect(mounts(below: mount.parent) == [mount.path])
        #expect(chmod(mount.parent, 0o755) == 0)
        try mount.known.unmount(lazy: false)
        #expect(mounts(below: mount.parent) == [])
    }

    @Test func whatAnotherFileSystemCoversIsNotMountedAndNeitherIsEnded() throws {
        let mount = try UsersMount(parentIsUsers: true)
        #expect(lx_mount("over", mount.path, "tmpfs", 0, "") == 0)
        for lazy in [false, true] {
            #expect(throws: MountError.notMounted(mount.path)) { try mount.known.unmount(lazy: lazy) }
        }
        #expect(mounts(below: mount.parent) == [mount.path, mount.path])
        #expect(lx_umount(mount.path, 0) == 0)
        try mount.known.unmount(lazy: false)
        #expect(mounts(below: mount.parent) == [])
    }
}

/// A mount that fusermount3 made for an ordinary user, and that nobody serves.
private final class UsersMount {
    // One with a name, without which fusermount3 mounts nothing.
    private static let user: UInt32 = 1000
    private static let source = "apphome:test"
    let parent: String
    let path: String
    let known: KnownMount
    private let folder: TemporaryFolder
    private let fuse: SharedDescriptor

    /// - Parameter parentIsUsers: whether the user may remove the directory that is mounted at.
    init(parentIsUsers: Bool) throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        parent = try folder.directory("parent")
        path = try folder.directory("parent/m")
        for owned in parentIsUsers ? [parent, path] : [path] { chown(owned, Self.user, Self.user) }
        fuse = try mount(Self.source, at: path, as: Self.user)
        self.folder = folder
        let client = UnixSocket.Peer(processID: getpid(), userID: Self.user, groupID: Self.user)
        let place = try MountPlace(path: path)
        known = try #require(
            KnownMount(
                at: place, source: Self.source, client: client, serving: fuse, madeDirectory: true))
    }

    deinit { for path in mounts(below: folder.path) { _ = lx_umount(path, lx_mnt_detach) } }
}

/// Mounts as that user does, by fusermount3.
/// - Returns: the open `/dev/fuse`.
func mount(_ source: String, at path: String, as user: UInt32) throws -> SharedDescriptor {
    try onThread(of: user) {
        let point = try MountPoint.prepare(path) { _ in false }
        return SharedDescriptor(try Mounting.mount(MountRequest(source: source), at: point))
    }
}
