import Foundation
import GRDB
import SandboxRules
import Testing

@testable import Device

/// The names that apps have in the Files app.
@Suite struct FilesNamesTests {
    @Test func ofTwoThatAreCalledTheSameEachKeepsItsNumber() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        #expect(try Self.install("b", "Notes", scratch, device) == "Notes")
        #expect(try Self.install("a", "Notes", scratch, device) == "Notes 2")
        #expect(try Self.install("c", "Notes", isOffered: false, scratch, device) == nil)
        // An upgrade changes nothing.
        #expect(try Self.install("a", "Notes", scratch, device) == "Notes 2")
        _ = try device.uninstall(try device.app(named: "org.example.b"))
        #expect(try device.app(named: "org.example.a").filesName == "Notes 2")
        #expect(try Self.install("a", "Notes", scratch, device) == "Notes 2")
        #expect(try Self.install("c", "Notes", scratch, device) == "Notes")
        // Called otherwise, and so again.
        #expect(try Self.install("c", "Letters", scratch, device) == "Letters")
        #expect(try Self.install("a", "Letters", scratch, device) == "Letters 2")
        #expect(try Self.install("c", "Letters", isOffered: false, scratch, device) == nil)
        #expect(try Self.install("c", "Letters", scratch, device) == "Letters")
    }

    @Test func aDeviceOfBeforeGetsThemInTheOrderOfIdentifiers() throws {
        let scratch = try Scratch()
        do {
            let device = try scratch.device()
            for id in ["b", "a"] { _ = try Self.install(id, "Notes", scratch, device) }
            try device.catalogue.write { database in
                try database.execute(sql: "ALTER TABLE app DROP COLUMN filesName")
                for column in ["time", "isPassed"] {
                    try database.execute(sql: "ALTER TABLE replacedContainer DROP COLUMN \(column)")
                }
                try database.execute(sql: "DROP TABLE formerContainer")
                try database.execute(sql: "ALTER TABLE account DROP COLUMN folder")
                for number in 7...10 {
                    try database.execute(
                        sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '\(number):%'")
                }
            }
        }
        let device = try scratch.device()
        #expect(try device.apps().map(\.filesName) == ["Notes", "Notes 2"])
        #expect(try device.apps().map(\.bundleID.value) == ["org.example.a", "org.example.b"])
    }

    @Test func eachTransactionIsAnotherRevision() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let before = device.revision
        #expect(try device.apps().isEmpty && device.revision == before)
        _ = try Self.install("a", "Notes", scratch, device)
        let installed = device.revision
        #expect(installed > before)
        try device.set("names", "simulator")
        #expect(device.revision > installed)
    }

    /// - Returns: the app's name in Files.
    private static func install(
        _ id: String, _ displayName: String, isOffered: Bool = true, _ scratch: borrowing Scratch,
        _ device: Device
    ) throws -> String? {
        let keys: [String: Any] = [
            "CFBundleDisplayName": displayName, "UISupportsDocumentBrowser": isOffered,
        ]
        try? FileManager.default.removeItem(atPath: scratch.file("\(id).app"))
        try scratch.bundle(id, id: "org.example.\(id)", more: keys)
        _ = try scratch.install(id, on: device)
        return try device.app(named: "org.example.\(id)").filesName
    }
}
