import CLinux
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// Another container in the place of the one that a tree shows.
@Suite struct ContainerTests {
    @Test func itComesWhenTheCallsUnderWayHaveEnded() throws {
        let fixture = try TreeFixture()
        try fixture.folder.directory("other/Documents")
        let path = fixture.folder.path
        let staging = try fixture.folder.directory("other-staging")
        let isDone = Gate(false)
        let (tree, documents) = (fixture.tree, fixture.documents)
        let isEarly = try tree.inodes.locks.withLock(of: documents) { () throws -> Bool in
            try NativeThread(name: "replace") {
                try? tree.replaceContainer(
                    Descriptor(path + "/other", flags: lx_o_path | lx_o_directory),
                    staging: Descriptor(staging, flags: lx_o_directory))
                isDone.update { $0 = true }
            }.detach()
            return isDone.wait(timeoutSeconds: 0.3) { $0 ? true : nil } ?? false
        }
        #expect(!isEarly)
        #expect(isDone.wait(timeoutSeconds: 60) { $0 ? true : nil } == true)
    }

    /// Names of which each has an allocation of its own.
    @Test func namesThatGoMeanwhileAreNotRead() throws {
        let fixture = try TreeFixture()
        let tree = fixture.tree
        let name = String(repeating: "n", count: 200)
        let number = try fixture.make(name).inode
        let inode = try tree.attributes(of: number).st_ino
        let path = fixture.folder.path + "/data/Documents/"
        try fixture.folder.directory("data/Documents/d")
        let directory = try fixture.lookup("d").inode
        let isDone = Gate(false)
        let reader = try NativeThread(name: "reader") {
            while !isDone.update({ $0 }) { _ = try? tree.attributes(of: number) }
        }
        for _ in 0..<2000 {
            // Somebody moves it in the backing folder, and it is found there: under another directory's lock.
            for (from, to, parent) in [("", "d/", directory), ("d/", "", fixture.documents)] {
                #expect(renameFile(path + from + name, path + to + name))
                tree.forget(try fixture.lookup(name, in: parent).inode)
            }
        }
        isDone.update { $0 = true }
        reader.join()
        #expect(try tree.attributes(of: number).st_ino == inode)
    }
}

private func renameFile(_ path: String, _ newPath: String) -> Bool {
    lx_renameat2(lx_at_fdcwd, path, lx_at_fdcwd, newPath, 0) == 0
}
