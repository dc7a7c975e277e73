import CLinux
import Foundation
import Posix
import SandboxRules
import TestKit
import Testing

@testable import Doctor

/// Directories that are large, or have names that no device takes.
@Suite struct HomeWalkTests {
    @Test func aNameThatIsNotUTF8IsNamedAndSoIsADirectory() throws {
        let patient = try Patient(policy: .legacy)
        func bytes(_ name: String) -> [CChar] {
            (Array(patient.path("Library/" + name).utf8) + [0xE9, 0]).map { CChar(bitPattern: $0) }
        }
        #expect(mkdir(bytes("caf"), 0o755) == 0)
        let file = open(bytes("notes"), O_WRONLY | O_CREAT | O_EXCL, 0o644)
        #expect(file >= 0)
        close(file)
        #expect(try patient.codes() == ["UNEXAMINED": ["Library/caf\u{FFFD}", "Library/notes\u{FFFD}"]])
    }

    /// Of the others nothing is kept but their hashes.
    @Test func onlyNamesThatAreSpelledAlikeAreReadAgain() throws {
        let folder = try TemporaryFolder()
        for index in 0..<300 { close(creat(folder.path + "/file\(index)", 0o644)) }
        let alike = ["CAFÉ", "cafe\u{301}", "caf\u{E9}", "File7", "file7"]
        for name in alike { close(creat(folder.path + "/" + name, 0o644)) }
        let directory = try Descriptor(folder.path, flags: lx_o_directory)
        let names = try DirectoryNames(of: directory.raw)
        #expect(names.count == 304 && names.repeated.count == 2)
        func sorted(_ names: [String]) -> [String] { names.map { "\(Array($0.utf8))" }.sorted() }
        #expect(try sorted(names.names(with: names.repeated, limit: 10)) == sorted(alike))
        #expect(try names.names(with: names.repeated, limit: 2).count == 2)
    }
}
