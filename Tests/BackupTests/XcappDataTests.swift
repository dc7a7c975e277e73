import Backup
import Foundation
import Posix
import SandboxRules
import TestKit
import Testing

@Suite struct XcappDataTests {
    @Test func `A container goes into a package and comes back with caches, tmp and flags`() throws {
        let scratch = try Scratch()
        for path in ["Documents/a", "Library/Caches/c", "tmp/t", "SystemData/s", "Documents/deep/er/b"] {
            try scratch.write("home/\(path)", path, mode: 0o640)
        }
        try FileManager.default.createSymbolicLink(
            atPath: scratch.file("home/Documents/l"), withDestinationPath: "a")
        let flagged = scratch.file("home/Documents/deep")
        #expect(setAttribute("user.com.apple.MobileBackup", [1], of: flagged) == nil)
        _ = run(["/bin/touch", "-d", "@1400000000", flagged])
        _ = run(["/bin/touch", "-d", "@-86400.25", scratch.file("home/Documents/a")])
        let tree = DomainTree(domain: "", root: SharedDescriptor(try scratch.open("home")), rule: .everything)
        let info = XcappData.Info(bundleID: "org.example.recipes", name: "Recipes", version: "1.2")
        for _ in 1...2 {
            let report = try XcappData.write(info, tree, named: "R.xcappdata", in: try scratch.open(""))
            #expect(report.files == 4)
        }
        let package = try scratch.open("R.xcappdata")
        #expect(try XcappData.info(of: package) == info)
        try scratch.directory("restored")
        _ = try XcappData.restore(from: package, into: try scratch.open("restored"), limitBytes: 1 << 30)
        _ = run(["/bin/rm", "-r", scratch.file("home/SystemData")])
        #expect(scratch.tree("restored") == scratch.tree("home"))
        #expect(!(try names(in: scratch.path)).contains("R.xcappdata.new"))
    }

    @Test func `A package that is read stays whole, and one that was ended leaves nothing`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "old")
        let tree = DomainTree(domain: "", root: SharedDescriptor(try scratch.open("home")), rule: .everything)
        let info = XcappData.Info(bundleID: "org.example.recipes")
        func write(_ progress: BackupWriter.Progress = { _ in }) throws {
            _ = try XcappData.write(
                info, tree, named: "R.xcappdata", in: try scratch.open(""), progress: progress)
        }
        try write()
        try scratch.directory("restored")
        func restoreWhileItIsReplaced() throws {
            let package = try scratch.open("R.xcappdata")
            var isReplaced = false
            _ = try XcappData.restore(
                from: package, into: try scratch.open("restored"), limitBytes: 1 << 30
            ) { report in
                guard report.items == 1, !isReplaced else { return }
                isReplaced = true
                try scratch.write("home/Documents/a", "newer")
                try write()
            }
        }
        try restoreWhileItIsReplaced()
        #expect(try scratch.read("restored/Documents/a") == Array("old".utf8))
        #expect(throws: BackupError.self) { try write { _ in throw CancellationError() } }
        #expect(!scratch.exists("R.xcappdata.new"))
        #expect(try scratch.read("R.xcappdata/AppData/Documents/a") == Array("newer".utf8))
    }

    @Test func `A package whose links lead out, or that is too large, harms nothing`() throws {
        let scratch = try Scratch()
        try scratch.write("outside/secret", "secret")
        try scratch.directory("P/AppData")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.file("P/AppData/Documents"), withDestinationPath: scratch.file("outside"))
        try scratch.directory("restored")
        _ = try XcappData.restore(
            from: try scratch.open("P"), into: try scratch.open("restored"), limitBytes: 1 << 30)
        #expect(scratch.tree("restored").count == 1)
        _ = run([
            "/bin/sh", "-c",
            "rm \(scratch.file("P/AppData/Documents")) && mkdir \(scratch.file("P/AppData/tmp"))",
        ])
        _ = run(["/usr/bin/truncate", "-s", "1T", scratch.file("P/AppData/tmp/bomb")])
        #expect(throws: BackupError.self) {
            try XcappData.restore(
                from: try scratch.open("P"), into: try scratch.open("restored"), limitBytes: 1 << 30)
        }
    }
}
