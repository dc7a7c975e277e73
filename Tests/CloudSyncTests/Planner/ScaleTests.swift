import Foundation
import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

/// By hand: `PLANNER_SCALE=1000000`, in a release build.
struct ScaleTests {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["PLANNER_SCALE"] != nil))
    func aRescanOfManyItemsFindsTheOneThatChanged() throws {
        let count = Int(ProcessInfo.processInfo.environment["PLANNER_SCALE"] ?? "") ?? 0
        let folder = try TemporaryFolder()
        let device = try TestDevice(1, TestCloud(), storage: SQLiteStorage(path: "\(folder.path)/db"))
        let disk = device.disk
        for index in 0..<count / 1000 {
            disk.makeDirectory(LocalPath(["d\(index)"]))
            for file in 0..<1000 { disk.write("", to: LocalPath(["d\(index)", "file-\(file).txt"])) }
        }
        disk.changes = LocalChanges()
        let revision = Revision(device: device.id, n: 1, index: 0)
        try device.storage.write { transaction in
            var next: UInt128 = 1
            func add(_ path: LocalPath, _ parent: FileID) throws -> FileID {
                let inode = try #require(disk.find(path))
                let file = FileID(bits: next)
                next += 1
                try transaction.setSynced(
                    SyncedItem(
                        file: file, parent: parent, name: path.name ?? "", place: revision, kind: inode.kind,
                        revision: inode.isFile ? revision : nil,
                        hash: inode.isFile ? ContentHash(of: [UInt8]()) : nil,
                        fingerprint: inode.fingerprint, attributes: inode.attributes))
                return file
            }
            for index in 0..<count / 1000 {
                let directory = try add(LocalPath(["d\(index)"]), .root)
                for file in 0..<1000 { _ = try add(LocalPath(["d\(index)", "file-\(file).txt"]), directory) }
            }
        }
        disk.write("changed", to: "d0/file-7.txt")
        device.touched = Touched(whole: [LocalPath()])
        disk.changes = LocalChanges()
        let start = ContinuousClock.now
        let plan = try device.planUp()
        print("rescan of \(count):", ContinuousClock.now - start)
        #expect(plan.drafts.count == 1)
    }
}
