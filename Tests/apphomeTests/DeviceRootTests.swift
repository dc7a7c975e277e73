import Foundation
import Testing

/// The whole device as a tree: every path of it.
@Suite struct DeviceRootTests {
    @Test func aDeviceOfThreeAppsAndAGroupHasThesePaths() throws {
        let place = try Workplace()
        for app in [
            ["Ledger", "--group", "group.money"], ["Notes", "--files"], ["Sketch", "--files", "--share"],
        ] {
            let made = try apphome(["new"] + app, in: place.device)
            #expect(made.status == 0, "\(made)")
        }
        let root = place.path + "/root"
        #expect(try place.run("device", "root", root).status == 0)
        let documents = root + "/On My iPhone/Notes"
        try "dear".write(toFile: documents + "/letter", atomically: false, encoding: .utf8)
        #expect(try Self.paths(root, place) == Self.written)
        let asNotes = place.path + "/notes"
        #expect(try place.run("device", "root", asNotes, "--as", "Notes").status == 0)
        let closed = Self.written.filter { path in
            ["Ledger", "Sketch", "group.money"].allSatisfy { !path.contains("{\($0)}/") }
                // Where Files would take one that is not to be entered.
                || path.hasPrefix("On My iPhone/")
        }
        #expect(try Self.paths(asNotes, place) == closed)
        let ledger = try Self.container("Ledger", "home", place)
        #expect(opendir("\(asNotes)/private/var/mobile/Containers/Data/Application/\(ledger)") == nil)
        #expect(errno == EPERM)
        #expect(text(asNotes + "/On My iPhone/Notes/letter") == "dear")
    }

    /// What `find` lists, with the apps' names where their containers' identifiers stand.
    private static func paths(_ root: String, _ place: borrowing Workplace) throws -> [String] {
        let found = try apphome(
            [root, "-mindepth", "1", "-printf", #"%P\n"#], in: "", program: "/usr/bin/find")
        var text = found.output
        for app in ["Ledger", "Notes", "Sketch"] {
            for place in [try container(app, "home", place), try container(app, "bundle", place)] {
                text = text.replacingOccurrences(of: place, with: "{\(app)}")
            }
        }
        let groups = root + "/private/var/mobile/Containers/Shared/AppGroup"
        let group = try #require(try FileManager.default.contentsOfDirectory(atPath: groups).first)
        text = text.replacingOccurrences(of: group, with: "{group.money}")
        return text.split(separator: "\n").map(String.init).sorted()
    }

    /// The identifier of an app's container.
    private static func container(
        _ app: String, _ key: String, _ place: borrowing Workplace
    ) throws -> String {
        let path = try #require(try place.run("info", app, "--json").object[key] as? String)
        return lastPart(of: key == "bundle" ? (path as NSString).deletingLastPathComponent : path)
    }

    private static func lastPart(of path: String) -> String {
        (path.trimmingCharacters(in: .whitespacesAndNewlines) as NSString).lastPathComponent
    }

    private static let written = """
        On My iPhone
        On My iPhone/Notes
        On My iPhone/Sketch
        private
        private/var
        private/var/containers
        private/var/containers/Bundle
        private/var/containers/Bundle/Application
        private/var/containers/Bundle/Application/{Ledger}
        private/var/containers/Bundle/Application/{Ledger}/Ledger.app
        private/var/containers/Bundle/Application/{Ledger}/Ledger.app/Info.plist
        private/var/containers/Bundle/Application/{Notes}
        private/var/containers/Bundle/Application/{Notes}/Notes.app
        private/var/containers/Bundle/Application/{Notes}/Notes.app/Info.plist
        private/var/containers/Bundle/Application/{Sketch}
        private/var/containers/Bundle/Application/{Sketch}/Sketch.app
        private/var/containers/Bundle/Application/{Sketch}/Sketch.app/Info.plist
        private/var/mobile
        private/var/mobile/Containers
        private/var/mobile/Containers/Bundle
        private/var/mobile/Containers/Data
        private/var/mobile/Containers/Data/Application
        private/var/mobile/Containers/Data/Application/{Ledger}
        private/var/mobile/Containers/Data/Application/{Ledger}/Documents
        private/var/mobile/Containers/Data/Application/{Ledger}/Library
        private/var/mobile/Containers/Data/Application/{Ledger}/Library/Caches
        private/var/mobile/Containers/Data/Application/{Ledger}/Library/Preferences
        private/var/mobile/Containers/Data/Application/{Ledger}/tmp
        private/var/mobile/Containers/Data/Application/{Notes}
        private/var/mobile/Containers/Data/Application/{Notes}/Documents
        private/var/mobile/Containers/Data/Application/{Notes}/Documents/letter
        private/var/mobile/Containers/Data/Application/{Notes}/Library
        private/var/mobile/Containers/Data/Application/{Notes}/Library/Caches
        private/var/mobile/Containers/Data/Application/{Notes}/Library/Preferences
        private/var/mobile/Containers/Data/Application/{Notes}/tmp
        private/var/mobile/Containers/Data/Application/{Sketch}
        private/var/mobile/Containers/Data/Application/{Sketch}/Documents
        private/var/mobile/Containers/Data/Application/{Sketch}/Library
        private/var/mobile/Containers/Data/Application/{Sketch}/Library/Caches
        private/var/mobile/Containers/Data/Application/{Sketch}/Library/Preferences
        private/var/mobile/Containers/Data/Application/{Sketch}/tmp
        private/var/mobile/Containers/Shared
        private/var/mobile/Containers/Shared/AppGroup
        private/var/mobile/Containers/Shared/AppGroup/{group.money}
        private/var/mobile/Containers/Shared/AppGroup/{group.money}/Library
        private/var/mobile/Containers/Shared/AppGroup/{group.money}/Library/Caches
        private/var/mobile/Containers/Shared/AppGroup/{group.money}/Library/Preferences
        var
        """.split(separator: "\n").map(String.init).sorted()
}
