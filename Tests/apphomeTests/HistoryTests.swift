import Foundation
import Glibc
import TestKit
import Testing

@testable import sync_storm

/// `cloud log` and `cloud restore` on real mounts.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HistoryTests {
    @Test(arguments: StoreKind.allCases)
    func aFolderThatIsDeletedByMistakeComesBackWhole(kind: StoreKind) throws {
        let fleet = try Fleet(2, on: kind.store())
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        try make(one.documents + "/album")
        #expect(try fleet.converge() == [])
        let before = try TreeListing(below: two.documents)
        try FileManager.default.removeItem(atPath: one.documents + "/album")
        #expect(try fleet.converge() == [])
        #expect(try !TestKit.names(in: two.documents).contains("album"))
        try two.tell("cloud", "gc")
        let told = try two.tell("cloud", "restore", Fleet.app, "album")
        #expect(told == "1,064 items came back\n")
        #expect(try fleet.converge() == [])
        #expect(try TreeListing(below: one.documents).differences(from: before) == [])
        #expect(try TreeListing(below: two.documents).differences(from: before) == [])
        let again = try two.run("cloud", "restore", Fleet.app, "album")
        #expect(again.status == 1 && again.errors.contains("is a directory"), "\(again.errors)")
        try fleet.unmountAll()
    }

    @Test func whatADocumentHadIsInTheLogAndComesBack() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        for text in ["first", "second", "third"] {
            try write(text, to: one.documents + "/letter")
            try write(text, to: one.documents + "/other")
            #expect(try fleet.converge() == [])
        }
        let entries = try log(two, "letter")
        #expect(entries.map(\.operation) == ["create", "edit", "edit"])
        #expect(entries.allSatisfy { $0.path == "letter" && $0.item == entries[0].item })
        #expect(try log(two, "nothing").isEmpty)
        let first = try #require(entries.first?.version)
        let unnamed = try two.run("cloud", "restore", Fleet.app, "letter")
        #expect(unnamed.status == 1 && unnamed.errors.contains("name a version"), "\(unnamed.errors)")
        try two.tell("cloud", "restore", Fleet.app, "letter", "--version", first)
        #expect(eventually { (try? contents(of: one.documents + "/letter")) == "first" })
        #expect(unlink(one.documents + "/letter") == 0)
        #expect(try fleet.converge() == [])
        // By its id, and as it was last.
        try one.tell("cloud", "restore", Fleet.app, try #require(entries.first?.item))
        #expect(try contents(of: one.documents + "/letter") == "first")
        let missing = try one.run("cloud", "restore", Fleet.app, "letter", "never-there")
        #expect(missing.status == 1 && missing.errors.contains("nothing was or is"), "\(missing.errors)")
        try fleet.unmountAll()
    }

    /// A thousand files, some executable or with an attribute of Apple's, links and empty directories.
    private func make(_ folder: String) throws {
        for number in 0..<20 {
            let directory = "\(folder)/\(number)"
            let manager = FileManager.default
            try manager.createDirectory(atPath: directory + "/empty", withIntermediateDirectories: true)
            for file in 0..<50 { try write("picture \(number) \(file)", to: "\(directory)/\(file).jpg") }
            #expect(symlink("0.jpg", directory + "/link") == 0)
            #expect(chmod(directory + "/1.jpg", 0o700) == 0)
            #expect(setAttribute("com.apple.ResourceFork", [1, 2], of: directory + "/2.jpg") == nil)
        }
        for name in ["one", "two", "three"] {
            let path = folder + "/" + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    private struct Entry: Decodable {
        let operation: String
        let path: String
        let item: String?
        let version: String?
    }

    private func log(_ device: FleetDevice, _ path: String) throws -> [Entry] {
        let text = try device.tell("cloud", "log", Fleet.app, path, "--json")
        return try JSONDecoder().decode([Entry].self, from: Data(text.utf8))
    }
}
