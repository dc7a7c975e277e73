import Backup
import CLinux
import Foundation
import Posix
import SandboxRules
import TestKit
import Testing

@Suite struct CarryOverTests {
    private static let composed = "Gr\u{FC}\u{DF}e"
    private static let decomposed = "Gru\u{308}\u{DF}e"

    @Test func `What both containers have is one item, however they spell it`() throws {
        let scratch = try Self.containers()
        try Self.carryOver(scratch, names: .device)
        // As the restored one spells it, with what only the old one had in it.
        let folder = "new/Documents/\(Self.composed)"
        #expect(
            try names(in: scratch.file("new/Documents")).map { Array($0.utf8) } == [Array(Self.composed.utf8)]
        )
        #expect(try names(in: scratch.file(folder)).count == 2)
        #expect(try scratch.read("\(folder)/\(Self.composed)") == Array("restored".utf8))
        let (old, copy) = ("old/Documents/\(Self.decomposed)/only here", "\(folder)/only here")
        #expect(try scratch.read(copy) == Array("old".utf8))
        // To the nanosecond: sync would tell of another time as a change.
        #expect(
            try ItemStamp(lx_at_fdcwd, scratch.file(copy)).modified
                == ItemStamp(lx_at_fdcwd, scratch.file(old)).modified)
    }

    @Test func `Where bytes are names, two spellings are two items`() throws {
        let scratch = try Self.containers()
        try Self.carryOver(scratch, names: .legacy)
        #expect(try names(in: scratch.file("new/Documents")).count == 2)
    }

    /// A character holds the marks behind it: to compare paths by characters left such documents out.
    @Test func `A document whose name begins with a combining mark is taken over`() throws {
        let scratch = try Scratch()
        try scratch.write("old/Documents/z", "old")
        try scratch.write("new/Documents/z", "restored")
        // Foundation's paths would take the slash and the mark for one character.
        let old = try scratch.open("old/Documents")
        try #require(lx_mkdirat(old.raw, "\u{301}x", 0o755) == 0)
        let file = lx_openat(old.raw, "\u{301}x/\u{301}y", lx_o_wronly | lx_o_creat, 0o644)
        try Descriptor(owning: try valueOrErrno(file)).writeAll(Array("only here".utf8))
        try Self.carryOver(scratch, names: .device)
        let new = try scratch.open("new/Documents")
        #expect(try ItemStamp(new.raw, "\u{301}x/\u{301}y").sizeBytes == 9)
    }

    @Test func `A copy that cannot be written ends it, and the item is not left out`() throws {
        let scratch = try Scratch()
        try scratch.write("old/Documents/a", "old")
        try scratch.directory("new")
        let target = try scratch.open("new")
        // Nobody, root neither, makes anything in a directory that was removed.
        try #require(rmdir(scratch.file("new")) == 0)
        let error = #expect(throws: BackupError.self) {
            try CarryOver.run(
                from: SharedDescriptor(try scratch.open("old")), into: target, .documents,
                limitBytes: 1 << 30)
        }
        #expect(error?.message.contains("keep what the backup lacks") == true)
    }

    @Test func `What has no name in UTF-8 is told of as missing`() throws {
        let scratch = try Scratch()
        try scratch.write("old/Documents/a", "old")
        try scratch.directory("new")
        let documents = try scratch.open("old/Documents")
        try valueOrErrno(lx_mkdirat(documents.raw, [CChar(bitPattern: 0xff), 0], 0o755))
        let result = try CarryOver.run(
            from: SharedDescriptor(try scratch.open("old")), into: try scratch.open("new"), .documents,
            limitBytes: 1 << 30)
        #expect(result.behind == 1 && result.report.files == 1)
    }

    private static func containers() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("old/Documents/\(decomposed)/\(decomposed)", "old")
        try scratch.write("old/Documents/\(decomposed)/only here", "old")
        try scratch.write("new/Documents/\(composed)/\(composed)", "restored")
        return scratch
    }

    private static func carryOver(_ scratch: Scratch, names: NamePolicy) throws {
        _ = try CarryOver.run(
            from: SharedDescriptor(try scratch.open("old")), into: try scratch.open("new"), .documents,
            limitBytes: 1 << 30, names: names)
    }
}
