import CLinux
import Foundation
import Posix
import TestKit
import Testing

@testable import Doctor

/// Paths of containers in files of every kind.
@Suite struct ContainerPathTests {
    private func details(_ patient: borrowing Patient) throws -> [String] {
        let findings = try patient.examine().findings
        #expect(findings.allSatisfy { $0.code == .containerPath }, "\(findings)")
        return findings.map { "\($0.path): \($0.detail.replacing(Patient.current, with: "NOW"))" }.sorted()
    }

    private let now = "NOW, the data container of org.example.recipes"

    @Test func aFileOfAnyLengthIsSearchedToItsEnd() throws {
        let patient = try Patient()
        // Over the end of the first block.
        let lead = FileSearch.blockBytes - 20
        try patient.write(
            "Documents/a", repeatElement(UInt8(ascii: "."), count: lead) + Array(Patient.current.utf8))
        let utf16 = try #require(("é" + Patient.former).data(using: .utf16BigEndian))
        try patient.write("Library/b", repeatElement(0, count: 3 * lead + 1) + Array(utf16))
        // No update keeps what is there.
        try patient.write("tmp/c", Patient.current)
        try patient.write("Documents/twin", Patient.foreign + " Documents/a.txt")
        let former =
            "\(Patient.former), the data container of org.example.recipes that was, before an upgrade,"
            + " a restore or a removal"
        #expect(
            try details(patient) == [
                "Documents/a: at byte \(lead) (UTF-8): \(now)",
                "Library/b: at byte \(3 * lead + 3) (UTF-16): \(former)",
            ])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func aPropertyListIsNamedByItsKeys(format: PropertyListSerialization.PropertyListFormat) throws {
        let patient = try Patient()
        let inner = try PropertyListSerialization.data(
            fromPropertyList: ["ä": "ü/" + Patient.current], format: .binary, options: 0)
        let values: [String: Any] = [
            "last": "ö/\(Patient.current)/a", "list": [1, ["deep": Patient.current]], "archive": inner,
            "fine": "Documents/a",
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
        try patient.write("Library/Preferences/a.plist", bytes)
        let twin = try PropertyListSerialization.data(
            fromPropertyList: ["fine": Data(Patient.foreign.utf8)], format: format, options: 0)
        try patient.write("Library/Preferences/b.plist", twin)
        #expect(
            try details(patient) == [
                "Library/Preferences/a.plist: key archive: \(now)",
                "Library/Preferences/a.plist: key last: \(now)",
                "Library/Preferences/a.plist: key list.1.deep: \(now)",
            ])
    }

    /// Parsers that follow each level by a call of their own end on such a file.
    @Test(arguments: [true, false]) func aPropertyListOfAThousandLevelsIsSearchedAsBytes(isXML: Bool) throws {
        let patient = try Patient()
        let depth = 100_000
        if isXML {
            let open = String(repeating: "<array>", count: depth)
            let close = String(repeating: "</array>", count: depth)
            try patient.write(
                "Library/a.plist",
                "<plist><dict>\(open)<data>AA==</data>\(Patient.current)\(close)</dict></plist>")
        } else {
            try patient.write("Library/a.plist", Self.deepBinary(depth) + Array(Patient.current.utf8))
        }
        #expect(try details(patient).count == 1)
    }

    /// Arrays of one element, each in the one before.
    private static func deepBinary(_ depth: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        for level in 0..<depth { bytes += [0xa1] + number(level + 1, 4) }
        let table = bytes.count
        for level in 0..<depth { bytes += number(8 + 5 * level, 4) }
        return bytes + [0, 0, 0, 0, 0, 0, 4, 4] + number(depth, 8) + number(0, 8) + number(table, 8)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// To read it all would take hours.
    @Test func ofAFileThatIsNearlyAllHolesTheRestIsSearched() throws {
        let patient = try Patient()
        let size = 1 << 40
        try patient.write("Library/sparse", "")
        let file = try Descriptor(patient.path("Library/sparse"), flags: lx_o_rdwr)
        for end in [size / 2, size] {
            try FileTree.write(
                file.raw, Array(Patient.current.utf8), offset: Int64(end - ContainerID.characters))
        }
        let first = size / 2 - ContainerID.characters
        #expect(try details(patient) == ["Library/sparse: at byte \(first) (UTF-8): \(now)"])
    }

    @Test func whatALinkLeadsToIsRead() throws {
        let patient = try Patient()
        let container = "/var/mobile/Containers/Data/Application/" + Patient.foreign
        #expect(symlink(container + "/Documents/a", patient.path("Documents/link")) == 0)
        #expect(symlink("a", patient.path("Documents/twin")) == 0)
        #expect(
            try details(patient) == [
                "Documents/link: the link leads to \(Patient.foreign), a container that is not of this device"
            ])
    }

    /// Nothing of it is opened, followed or printed as it stands.
    @Test func whatIsPutInTheWayIsPassed() throws {
        let patient = try Patient()
        #expect(mkfifo(patient.path("Documents/pipe"), 0o600) == 0)
        #expect(symlink(".", patient.path("Documents/loop")) == 0)
        #expect(symlink("other", patient.path("Documents/one")) == 0)
        #expect(symlink("one", patient.path("Documents/other")) == 0)
        #expect(symlink("/dev/zero", patient.path("Documents/zero")) == 0)
        #expect(symlink("/", patient.path("Library/root")) == 0)
        try patient.write("Documents/new\nline", Patient.current)
        #expect(try details(patient) == ["Documents/new\nline: at byte 0 (UTF-8): \(now)"])
    }

    @Test func whatLiesTooDeepIsNamed() throws {
        let patient = try Patient()
        var path = "Library"
        for _ in 0...HomeWalk.depthLimit {
            path += "/d"
            #expect(mkdir(patient.path(path), 0o755) == 0)
        }
        let codes = try patient.codes()
        #expect(codes.keys.sorted() == ["UNEXAMINED"] && codes["UNEXAMINED"]?.count == 1)
    }

    @Test func nothingOfTheHomeIsChanged() throws {
        let patient = try Patient()
        try patient.write("Documents/a", Patient.current)
        try patient.write("Library/Caches/b", "b")
        for mode in ["DELETE", "WAL"] {
            try patient.database(
                "Library/\(mode).sqlite",
                "PRAGMA journal_mode=\(mode); CREATE TABLE t(a); INSERT INTO t VALUES('\(Patient.current)');")
        }
        func listing() throws -> String {
            let find = Process()
            find.executableURL = URL(filePath: "/usr/bin/find")
            find.arguments = [patient.mounted.container, "-printf", "%P %s %T@ %C@ %i %m\n"]
            let output = Pipe()
            find.standardOutput = output
            try find.run()
            return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        let before = try listing()
        #expect(try details(patient).count == 3)
        #expect(try listing() == before)
    }
}
