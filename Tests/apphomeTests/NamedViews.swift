import Foundation
import SystemPackage
import TestKit
import Testing

/// An app whose home is mounted under a policy, beside Files and the device's tree.
struct NamedViews: ~Copyable {
    let place: Workplace
    private let app: String
    var home: String { place.path + "/home" }
    var files: String { place.path + "/files" }
    var root: String { place.path + "/root" }
    /// Documents in each of the three.
    let documents: [String]
    /// The container in the home's mount and in the tree.
    let tops: [String]

    init(_ names: String, app: String = "Notes", settings: [String: String] = [:]) throws {
        let place = try Workplace()
        let (home, files, root) = (place.path + "/home", place.path + "/files", place.path + "/root")
        let first = [["new", app, "--share", "--files", "--id", "org.example.notes"]]
        let set = settings.map { ["device", "set", $0.key, $0.value] }
        let mounts = [
            ["files", "mount", files], ["device", "root", root],
            ["mount", app, home, "--no-sync", "--names", names],
        ]
        for arguments in first + set + mounts {
            let done = try apphome(arguments, in: place.device)
            #expect(done.status == 0, "\(done)")
        }
        let backing = try #require(try place.run("info", app, "--json").object["home"] as? String)
        let identifier = try #require(backing.split(separator: "/").last)
        let top = "\(root)/private/var/mobile/Containers/Data/Application/\(identifier)"
        documents = ["\(home)/Documents", "\(files)/\(app)", "\(top)/Documents"]
        tops = [home, top]
        self.app = app
        self.place = place
    }

    /// Mounts the home under another policy.
    func mountAgain(_ names: String) throws {
        for arguments in [["unmount", home], ["mount", app, home, "--no-sync", "--names", names]] {
            let done = try apphome(arguments, in: place.device)
            #expect(done.status == 0, "\(done)")
        }
    }

    /// What was told of the app so far, each as `event path`.
    func events() throws -> [String] { try toldEvents().map(\.text) }

    struct Told {
        let text: String
        let program: String?
        let pid: Int32?
    }

    /// What was told of the app so far.
    func toldEvents() throws -> [Told] {
        // Told last: a refusal of now.
        let mark = "mark-\(UUID().uuidString)"
        #expect(failure { mkdir(home + "/" + mark, 0o755) } == .notPermitted)
        let watch = try start(["watch", app, "--since", "1h", "--json"], in: place.device)
        defer {
            // SIGTERM may be blocked in what a test starts.
            kill(watch.process.processIdentifier, SIGKILL)
            watch.process.waitUntilExit()
        }
        var told: [Told] = []
        for line in watch.output(upTo: mark).split(separator: "\n") where line.hasSuffix("}") {
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            told.append(
                Told(
                    text: "\(event?["event"] ?? "") \(event?["path"] ?? "")",
                    program: event?["program"] as? String, pid: event?["pid"] as? Int32))
        }
        return told
    }
}
