import Backup
import FuseKit
import Glibc
import Posix
import TestKit
import Testing

@testable import BackupFS

/// Which requests a mount serves on a thread of their own.
@Suite struct SlowLookTests {
    @Test func onlyALookAtWhatWasNotReadYetIsSlow() throws {
        let folder = try TemporaryFolder()
        let items = ["a", "b"].flatMap { app -> [[String: Any]] in
            [
                ["domain": "AppDomain-\(app)", "path": "Documents", "kind": "directory", "mode": 0o755],
                ["domain": "AppDomain-\(app)", "path": "Documents/file", "kind": "file", "text": "text"],
            ]
        }
        try BackupProgram.make(items, in: folder.path + "/phone")
        let directory = Descriptor(owning: open(folder.path + "/phone", O_RDONLY | O_DIRECTORY))
        let files = try BackupFileSystem(BackupReader(directory), .domain)
        let caller = Caller(uid: 0, gid: 0, thread: 0)
        func look(_ name: String, _ parent: NodeKey) throws -> NodeKey {
            let entry = try name.withCString { try files.lookup(FileName($0), in: parent, for: caller) }
            return try #require(entry.node)
        }
        #expect(!files.isSlow(at: files.root))
        let a = try look("AppDomain-a", files.root)
        let b = try look("AppDomain-b", files.root)
        #expect(files.isSlow(at: a) && files.isSlow(at: b))
        let documents = try look("Documents", a)
        #expect(!files.isSlow(at: a) && !files.isSlow(at: documents))
        #expect(!files.isSlow(at: try look("file", documents)))
        #expect(files.isSlow(at: b))
        "user.x".withCString { #expect(files.isSlow(attribute: FileName($0), of: b)) }
        "security.x".withCString { #expect(!files.isSlow(attribute: FileName($0), of: b)) }
        _ = try look("Documents", b)
        #expect(!files.isSlow(at: b))
    }
}
