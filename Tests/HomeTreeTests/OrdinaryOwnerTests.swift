import CLinux
import HomeFiles
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

/// A daemon without root's rights, whom mode bits stop.
@Suite struct OrdinaryOwnerTests {
    private static let owner = Owner(uid: 12_345, gid: 12_345)

    /// Runs `body` with the rights of an ordinary user.
    private func asOwner<R>(_ body: () throws -> R) throws -> R {
        try UserRights(userID: Self.owner.uid, groupID: Self.owner.gid).acting(body)
    }

    /// Documents, owned by the ordinary user.
    private func ownedFixture(cachedDescriptors: Int = 1000) throws -> TreeFixture {
        let fixture = try TreeFixture(cachedDescriptors: cachedDescriptors)
        for path in ["/data", "/data/Documents", "/staging"] {
            try valueOrErrno(
                lx_chownat(lx_at_fdcwd, fixture.folder.path + path, Self.owner.uid, Self.owner.gid))
        }
        return fixture
    }

    /// A directory of the ordinary user's in Documents.
    private func directory(
        _ name: String, mode: UInt32, in fixture: borrowing TreeFixture, at parent: InodeNumber? = nil
    ) throws -> InodeNumber {
        let path = try fixture.folder.directory("data/Documents/" + name)
        try valueOrErrno(lx_chownat(lx_at_fdcwd, path, Self.owner.uid, Self.owner.gid))
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, path, mode))
        return try fixture.lookup(String(name.split(separator: "/").last ?? ""), in: parent).inode
    }

    private static func changed(mode: UInt32) -> AttributeChanges {
        var changes = AttributeChanges()
        changes.mode = mode
        return changes
    }

    @Test func whatCannotBeGivenToItsCallerIsNotLeftBehind() throws {
        let fixture = try ownedFixture()
        let other = Owner(uid: 1, gid: 1)
        let tree = fixture.tree
        let documents = fixture.documents
        try asOwner {
            #expect(throws: Errno.notPermitted) {
                try "caf\u{e9}".withFileName { (name) throws(Errno) in
                    try tree.create(
                        name, in: documents, mode: 0o644, flags: lx_o_rdwr | lx_o_creat, owner: other)
                }
            }
            #expect(throws: Errno.notPermitted) {
                try "caf\u{e9}".withFileName { (name) throws(Errno) in
                    try tree.makeDirectory(name, in: documents, mode: 0o755, owner: other)
                }
            }
        }
        #expect(try tree.names(in: documents).isEmpty)
    }

    @Test func aDirectoryThatMayNotBeReadStillTakesNames() throws {
        let fixture = try ownedFixture()
        let box = try directory("box", mode: 0o300, in: fixture)
        defer { fixture.tree.forget(box) }
        try asOwner {
            let absent = try fixture.lookup("caf\u{e9}", in: box, absentIsFine: true)
            #expect(absent == nil)
            let made = try "caf\u{e9}".withFileName { (name) throws(Errno) in
                try fixture.tree.create(
                    name, in: box, mode: 0o644, flags: lx_o_rdwr | lx_o_creat | lx_o_excl, owner: Self.owner)
            }
            fixture.tree.close(made.1, of: made.0.inode)
            fixture.tree.forget(made.0.inode)
        }
    }

    @Test func aRemovedDirectoryLeavesNothingInStagingWhateverItsModes() throws {
        let fixture = try ownedFixture()
        fixture.tree.forget(try directory("album", mode: 0o755, in: fixture))
        let locked = try fixture.folder.directory("data/Documents/album/locked")
        try valueOrErrno(lx_chownat(lx_at_fdcwd, locked, Self.owner.uid, Self.owner.gid))
        try write("x", to: locked + "/photo")
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, locked, 0))
        try asOwner {
            try "album".withFileName { (name) throws(Errno) in
                try fixture.tree.discard(name, in: fixture.documents)
            }
        }
        #expect(try names(in: fixture.folder.path + "/staging") == [])
        #expect(fixture.tree.liveInodeCount == 3)
    }

    @Test func whatCannotBeRemovedFromStagingDoesNotStopTheNextStart() throws {
        let fixture = try ownedFixture()
        fixture.tree.forget(try directory("album", mode: 0o755, in: fixture))
        let foreign = try fixture.folder.directory("data/Documents/album/foreign")
        try write("x", to: foreign + "/photo")
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, foreign, 0o700))
        try asOwner {
            try "album".withFileName { (name) throws(Errno) in
                try fixture.tree.discard(name, in: fixture.documents)
            }
            try fixture.tree.emptyStaging()
        }
        #expect(try fixture.lookup("album", in: fixture.documents, absentIsFine: true) == nil)
        #expect(fixture.tree.liveInodeCount == 3)
    }

    /// What has a descriptor is reached by that, also where the way to it is closed; to all else the tree
    /// walks, as natively a program does that holds nothing.
    @Test func belowAClosedDirectoryOnlyWhatIsOpenIsReached() throws {
        let fixture = try ownedFixture(cachedDescriptors: 16)
        let album = try directory("album", mode: 0o755, in: fixture)
        let inner = try directory("album/inner", mode: 0o755, in: fixture, at: album)
        defer { for number in [inner, album] { fixture.tree.forget(number) } }
        try asOwner {
            let (open, handle) = try fixture.create("open", in: inner, owner: Self.owner)
            let closed = try fixture.make("closed", in: inner, owner: Self.owner)
            _ = try fixture.tree.change(Self.changed(mode: 0), of: album)
            // Takes the descriptors of all else.
            var others: [InodeNumber] = []
            for index in 0..<40 {
                let other = try fixture.makeDirectory("other\(index)", owner: Self.owner).inode
                fixture.tree.forget(try fixture.make("f", in: other, owner: Self.owner).inode)
                others.append(other)
            }
            #expect(try fixture.tree.attributes(of: open.inode).st_size == 0)
            #expect(throws: Errno.permissionDenied) { try fixture.tree.attributes(of: closed.inode) }
            #expect(throws: Errno.permissionDenied) { try fixture.tree.names(in: inner) }
            _ = try fixture.tree.change(Self.changed(mode: 0o700), of: album)
            #expect(try fixture.tree.attributes(of: closed.inode).st_size == 0)
            #expect(try fixture.tree.names(in: inner).count == 2)
            fixture.tree.close(handle, of: open.inode)
            for number in others + [open.inode, closed.inode] { fixture.tree.forget(number) }
        }
    }
}
