import Foundation
import Testing

/// `share put` as a person uses it.
@Suite(.serialized) struct ShareCommandTests {
    @Test(arguments: [[], ["--inbox"]])
    func aLinkIsPutUnderTheNameThatWasTypedWithTheContentOfItsTarget(_ options: [String]) throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        try place.run("mount", "Notes", place.path + "/n")
        try "text".write(toFile: place.path + "/target", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/link.txt", withDestinationPath: "target")
        let put = try apphome(
            ["share", "put", "Notes", place.path + "/link.txt"] + options, in: place.device)
        #expect(put.status == 0, "\(put)")
        let folder = place.path + "/n/Documents/" + (options.isEmpty ? "" : "Inbox/")
        #expect(text(folder + "link.txt") == "text")
        #expect(!FileManager.default.fileExists(atPath: folder + "target"))
    }
}
