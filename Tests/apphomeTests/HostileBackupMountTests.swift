import Foundation
import Glibc
import TestKit
import Testing

/// Backups that were made to do harm: each is mounted, and shows what is sound of it, or is refused with one
/// line.
@Suite(.serialized, .timeLimit(.minutes(3))) struct HostileBackupMountTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        let name: String
        /// What goes into the description of the backup, as JSON.
        var more = "{}"
        var items = "[]"
        var password: String?
        /// Run by a shell in the backup's folder.
        var script = ""
        /// False: it is refused.
        var isMounted = true
        /// Rows that are named.
        var refused = 0
        var testDescription: String { name }
    }

    private static func item(_ path: String, _ more: String = "", domain: String = "AppDomain-a.b") -> String
    {
        #"{"domain": "\#(domain)", "path": "\#(path)", "kind": "file"\#(more.isEmpty ? "" : ", " + more)}"#
    }

    private static let socket =
        #"import socket; socket.socket(socket.AF_UNIX).bind("Status.plist")"#
    private static let leading = ["../e", "/etc/passwd", "a/../../e", "a//b", "."]

    /// A property list whose arrays refer to each other: of 60 bytes a tree of any size.
    private static let bomb =
        "62706c6973743030" + "a3010101" + "a3020202" + "a3000000" + "080c10"
        + "0000000000000101" + "0000000000000003" + "0000000000000000" + "0000000000000014"

    static let all: [Hostile] = [
        Hostile(
            name: "a domain that leads out", items: "[\(item("in", domain: "AppDomain-../../../tmp/e"))]",
            refused: 1),
        Hostile(
            name: "paths that lead out",
            items:
                "[\(leading.map { item($0) }.joined(separator: ","))]",
            refused: 5),
        Hostile(
            name: "links in a circle",
            items: """
                [{"domain": "HomeDomain", "path": "a", "kind": "link", "target": "b"},
                 {"domain": "HomeDomain", "path": "b", "kind": "link", "target": "a"},
                 {"domain": "HomeDomain", "path": "b/c", "kind": "file"}]
                """),
        Hostile(name: "a record that unfolds", items: "[\(item("a", #""record": "\#(bomb)""#))]", refused: 1),
        Hostile(
            name: "rows of a wrong type",
            more:
                #"""
                {"extra": "INSERT INTO Files VALUES (1, x'00', 2.5, 'x', 'y'), (NULL, NULL, NULL, NULL, NULL),
                ('a', 'HomeDomain', x'ff', x'ff', 7);"}
                """#.replacing("\n", with: " "),
            refused: 2),
        Hostile(
            name: "sizes beyond all bounds",
            items: "[\(item("a", #""size": 9223372036854775807"#)), \(item("b", #""size": -1"#))]", refused: 1
        ),
        Hostile(
            name: "a pipe for the list", script: "rm Manifest.db && mkfifo Manifest.db", isMounted: false),
        Hostile(
            name: "a socket for the status",
            script:
                "rm Status.plist && python3 -c '\(socket)'",
            isMounted: false),
        Hostile(
            name: "the same identifier twice", more: #"{"noprimary": true}"#,
            items: "[\(item("a")), \(item("a", #""mode": 511"#))]", refused: 1),
        Hostile(
            name: "a domain that is no text, before others",
            more: #"{"extra": "INSERT INTO Files VALUES ('b', CAST(x'4180' AS TEXT), 'p', 1, x'00');"}"#,
            refused: 1),
        Hostile(
            name: "no index", more: #"{"extra": "DROP INDEX FilesDomainIdx;", "noprimary": true}"#,
            items: "[\(item("a")), \(item("../e"))]", refused: 1),
        Hostile(
            name: "a date beyond all calendars",
            script: """
                python3 -c 'import struct; data = open("Manifest.plist", "rb").read()
                at = data.index(b"\\x33\\x41\\xc7") + 1
                changed = data[:at] + struct.pack(">d", 1e300) + data[at + 8:]
                open("Manifest.plist", "wb").write(changed)'
                """),
        Hostile(
            name: "a log beside the list", script: "head -c 4096 /dev/zero > Manifest.db-wal", refused: 1),
        Hostile(
            name: "a list that was cut off",
            items: "[\((0..<200).map { item("document \($0)") }.joined(separator: ","))]",
            script: "truncate -s 20480 Manifest.db", isMounted: false),
        Hostile(
            name: "a keybag that asks for years", more: #"{"keybag": {"DPIC": 4294967295}}"#,
            password: "secret",
            isMounted: false),
        Hostile(
            name: "a list that is code",
            more: """
                {"extra": "ALTER TABLE Files RENAME TO F; CREATE VIEW Files AS SELECT * FROM F;"}
                """, isMounted: false),
    ]

    @Test(arguments: all) func itIsMountedOrRefusedWithOneLine(_ hostile: Hostile) throws {
        let place = try Workplace()
        let phone = place.path + "/phone"
        func object<T>(_ text: String, _ type: T.Type) throws -> T {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? T)
        }
        let items = try object(hostile.items, [[String: Any]].self)
        let sound: [String: Any] = ["domain": "RootDomain", "path": "sound", "kind": "file", "text": "sound"]
        let more = try object(hostile.more, [String: Any].self)
        try BackupProgram.make(items + [sound], in: phone, password: hostile.password, more)
        #expect(
            TestKit.run(
                "/bin/sh", "-c", "cd '\(phone)' && \(hostile.script.isEmpty ? "true" : hostile.script)") == 0)
        var arguments = ["backup", "mount", phone, place.path + "/m"]
        if hostile.password != nil { arguments += ["--password-file", try place.passwordFile()] }
        let mounted = try apphome(arguments, in: place.device)
        guard hostile.isMounted else {
            #expect(mounted.status == 1 && mounted.errors.split(separator: "\n").count == 1, "\(mounted)")
            #expect(!FileManager.default.fileExists(atPath: place.path + "/m"))
            return
        }
        #expect(mounted.status == 0 && mounted.errors.isEmpty, "\(mounted)")
        // All is read, by a program that does not believe sizes.
        TestKit.run("/bin/grep", "-rsqa", "no such line", place.path + "/m")
        #expect(text(place.path + "/m/private/var/root/sound") == "sound")
        let refused = text(place.path + "/m/.apphome-refused/items.txt") ?? ""
        #expect(refused.split(separator: "\n").count >= hostile.refused, "\(refused)")
        #expect((refused == "") == (hostile.refused == 0), "\(refused)")
        #expect(try place.run("unmount", place.path + "/m").status == 0)
        #expect(
            !FileManager.default.fileExists(atPath: "/tmp/e")
                && eventually {
                    processes(["apphome", "backup", "mount", phone]).isEmpty
                })
    }
}
