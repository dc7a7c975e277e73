import CLinux
import FuseKit
import Glibc
import HomeTree
import Posix
import SandboxFS
import SystemPackage
import TestKit
import Testing

@Suite struct SessionEndTests {
    @Test func anAbortedMountGivesItsOpenFilesBack() throws {
        let tree = try abortWithOpenFiles(handles: 16)
        #expect(tree.openHandleCount == 0)
        #expect(tree.liveInodeCount == 3)
        // All of the tree's share is there again, that of directories too.
        let readers = try (0..<8).map { _ in try tree.openDirectory(tree.home) }
        #expect(readers.count == 8)
    }

    /// Ends a mount while its files are open: no RELEASE is ever sent for them.
    private func abortWithOpenFiles(handles: Int) throws -> HomeTree {
        let mounted = try MountedHome(handles: handles)
        let files = (0..<3).map {
            open("\(mounted.documents)/file\($0)", O_CREAT | O_RDWR, 0o644)
        }
        let directories = (0..<3).map { _ in open(mounted.documents, O_RDONLY | O_DIRECTORY) }
        defer { for descriptor in files + directories { close(descriptor) } }
        #expect((files + directories).allSatisfy { $0 >= 0 })
        #expect(failure { umount2(mounted.home, Int32(MNT_FORCE)) } == .resourceBusy)
        return mounted.tree
    }

    @Test func aSessionEndsOnceHoweverOftenItIsAwaited() throws {
        let folder = try TemporaryFolder()
        try folder.directory("data/Documents")
        let tree = try HomeTree(
            container: Descriptor(folder.path + "/data", flags: lx_o_path | lx_o_directory),
            staging: Descriptor(try folder.directory("staging"), flags: lx_o_directory),
            budget: DescriptorBudget(handleLimit: 10, cachedLimit: 10))
        // Nothing is mounted there: its threads end at once.
        let session = try Session(
            fileSystem: SharingFileSystem(tree: tree), device: Descriptor("/dev/fuse", flags: O_RDWR),
            options: SessionOptions(believesCallers: true))
        try session.start()
        #expect(session.waitUntilEnded())
        #expect(session.waitUntilEnded())
    }
}
