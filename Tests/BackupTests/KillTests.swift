import Backup
import Foundation
import TestKit
import Testing

/// A process that is killed for real, which writes nothing more and cleans nothing up.
@Suite struct KillTests {
    private static let domain = "AppDomain-org.example.recipes"
    private let tool = Bundle.main.bundleURL.appendingPathComponent("backup-tool").path

    @Test(arguments: ["-", "secret"])
    func `Killed with SIGKILL at any step, the old backup or the new one is whole`(password: String) throws {
        let secret = password == "-" ? nil : password
        let scratch = try Scratch()
        for name in ["backups", "scratch"] { try scratch.directory(name) }
        let arguments = [
            tool, "create", scratch.file("home"), scratch.file("backups"), scratch.file("scratch"), password,
        ]
        try scratch.write("home/Documents/a", "0")
        try scratch.write("home/Documents/unchanged", "same")
        #expect(run(arguments).status == 0)
        var step = 0
        var isEnded = false
        while !isEnded {
            step += 1
            try scratch.write("home/Documents/a", "\(step)" + String(repeating: ".", count: step))
            let result = run(arguments + ["\(step)"])
            isEnded = result.status == 0
            let reader = try scratch.reader(scratch.backup, password: secret)
            #expect(try reader.damage() == [])
            let item = try #require(try reader.item(in: Self.domain, at: "Documents/a"))
            let content = String(decoding: try reader.content(of: item).next() ?? [], as: UTF8.self)
            #expect(content.allSatisfy { $0.isNumber || $0 == "." })
            #expect(isEnded ? content.hasPrefix("\(step).") : true)
            if step % 5 == 0 {
                _ = try PublicReader.extract(
                    scratch.file(scratch.backup), to: scratch.file("out\(step)"), password: secret)
            }
        }
        #expect(step > 10)
        #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
    }
}
