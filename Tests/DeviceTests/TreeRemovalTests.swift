import Foundation
import Glibc
import Posix
import Testing

@testable import Device

@Suite struct TreeRemovalTests {
    @Test func aDeepTreeIsRemovedWithALittleStack() throws {
        let scratch = try Scratch()
        try scratch.write("top/file")
        var directory = try scratch.open("top")
        for _ in 0..<3000 { directory = try FileTree.makeDirectory(directory.raw, "d") }
        try FileTree.create(directory.raw, "bottom", [])
        let root = try scratch.open(".")
        let (raw, ended) = (root.raw, DispatchSemaphore(value: 0))
        let thread = Thread {
            try? TreeRemoval.remove(raw, "top")
            ended.signal()
        }
        thread.stackSize = 256 << 10
        thread.start()
        ended.wait()
        #expect(scratch.names("") == [])
    }

    @Test func namesOfAnyBytesAndClosedDirectoriesGoToo() throws {
        let scratch = try Scratch()
        try scratch.write("top/closed/file")
        let path = scratch.file("top/").utf8CString.dropLast() + [CChar(bitPattern: 0xFE), 0]
        #expect(close(creat(Array(path), 0o644)) == 0)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: scratch.file("top/closed"))
        let root = try scratch.open(".")
        try TreeRemoval.remove(root.raw, "top")
        #expect(scratch.names("") == [])
        try TreeRemoval.remove(root.raw, "top")
    }

    @Test func whatALinkPointsToStays() throws {
        let scratch = try Scratch()
        try scratch.write("kept/file")
        try scratch.write("top/x")
        try scratch.link("top/link", to: scratch.file("kept"))
        let root = try scratch.open(".")
        try TreeRemoval.remove(root.raw, "top")
        #expect(scratch.names("kept") == ["file"])
    }
}
