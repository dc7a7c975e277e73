import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// Random changes in a home, in Files and in the device's tree: each is seen by all in the very next call.
@Suite(.serialized) struct FilesCoherenceTests {
    /// More by hand: each seed is a history of its own.
    private static let seeds =
        UInt64(ProcessInfo.processInfo.environment["APPHOME_FILES_SEEDS"] ?? "") ?? 6

    @Test(arguments: ["auto", "splice"], ["auto", "classic"])
    func eachSeesTheOthersChangesAtOnce(_ data: String, _ transport: String) throws {
        try compare(
            ["--data", data], ["--transport", transport], "device", History.plainItems, seeds: Self.seeds)
    }

    /// Each name in spellings that are one name, two, or one in the Simulator alone.
    @Test(arguments: ["device", "simulator", "legacy"])
    func eachSeesTheOthersChangesUnderEverySpelling(_ names: String) throws {
        try compare(["--names", names], [], names, History.spelledItems, seeds: max(Self.seeds / 3, 1))
    }

    private func compare(
        _ options: [String], _ travel: [String], _ names: String, _ items: [String], seeds: UInt64
    ) throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--files").status == 0)
        let files = place.path + "/files"
        let (home, root) = (place.path + "/home", place.path + "/root")
        for arguments in [
            ["files", "mount", files], ["device", "root", root],
            ["mount", "Notes", home, "--no-sync"] + options,
        ] {
            let mounted = try apphome(arguments + travel, in: place.device)
            #expect(mounted.status == 0, "\(mounted)")
        }
        let views = [home + "/Documents", files + "/Notes", root + "/On My iPhone/Notes"]
        let info = try place.run("info", "Notes", "--json").outputBytes
        let parsed = try JSONSerialization.jsonObject(with: info) as? [String: Any]
        let backing = try #require(parsed?["home"] as? String) + "/Documents"
        for seed in 0..<seeds {
            var history = History(
                seed: seed, views: views, backing: backing, names: names, items: items)
            let differences = history.run(steps: 150)
            guard differences.isEmpty else {
                Issue.record("seed \(seed): \(differences.joined(separator: "\n"))")
                return
            }
        }
    }
}

/// One history of random changes.
private struct History {
    private var random: SeededRandom
    private let views: [String]
    private let backing: String
    private var log: [String] = []
    private let names: String
    private let items: [String]
    static let plainItems = ["a", "b", "c", "d/a", "d/b", "e/a", "d", "e"]
    static let spelledItems = [
        "a", "A", "caf\u{e9}", "cafe\u{301}", "K", "\u{212a}", "d/K", "D/k", "d/\u{c9}", "D/e\u{301}",
        "d", "D",
    ]

    init(seed: UInt64, views: [String], backing: String, names: String, items: [String]) {
        random = SeededRandom(seed: seed)
        self.views = views
        self.backing = backing
        self.names = names
        self.items = items
    }

    /// - Returns: the last steps and what differs after them; empty where nothing does.
    mutating func run(steps: Int) -> [String] {
        for item in items where !item.contains("/") {
            try? FileManager.default.removeItem(atPath: views[0] + "/" + item)
        }
        for name in ["d", "e"] where items.contains(name) { mkdir("\(views[1])/\(name)", 0o755) }
        for _ in 0..<steps {
            log.append(step())
            let found = differences()
            if !found.isEmpty { return log.suffix(12) + found }
        }
        return []
    }

    private mutating func step() -> String {
        let view = Int.random(in: 0..<views.count, using: &random)
        let (one, other) = (item(), item())
        let (path, second) = ("\(views[view])/\(one)", "\(views[view])/\(other)")
        var outcome: Int
        let what: String
        switch Int.random(in: 0..<13, using: &random) {
        case 0...2: (what, outcome) = ("write \(one)", write(path, O_CREAT | O_WRONLY))
        case 3: (what, outcome) = ("append \(one)", write(path, O_APPEND | O_WRONLY))
        case 4: (what, outcome) = ("truncate \(one)", Int(truncate(path, off_t(random.next() % 9000))))
        case 5: (what, outcome) = ("rename \(one) \(other)", Int(rename(path, second)))
        case 6: (what, outcome) = ("exchange \(one) \(other)", exchange(path, second))
        case 7: (what, outcome) = ("link \(one) \(other)", Int(link(path, second)))
        case 8: (what, outcome) = ("unlink \(one)", Int(unlink(path)))
        case 9: (what, outcome) = ("mkdir \(one)", Int(mkdir(path, 0o755)))
        case 10: (what, outcome) = ("rmdir \(one)", Int(rmdir(path)))
        case 11: (what, outcome) = ("chmod \(one)", Int(chmod(path, 0o600 + mode_t(random.next() % 64))))
        default: (what, outcome) = ("setxattr \(one)", setTestAttribute(path))
        }
        return "\(view): \(what) -> \(outcome < 0 ? errno : 0)"
    }

    private mutating func item() -> String { items.randomElement(using: &random) ?? "a" }

    private mutating func write(_ path: String, _ flags: Int32) -> Int {
        let file = open(path, flags, 0o644)
        if file < 0 { return -1 }
        defer { close(file) }
        let bytes = (0..<Int(random.next() % 6000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return pwrite(file, bytes, bytes.count, off_t(random.next() % 4000))
    }

    private mutating func setTestAttribute(_ path: String) -> Int {
        let value = [UInt8](repeating: UInt8(random.next() % 200), count: 5)
        return setAttribute("user.test", value, of: path) == nil ? 0 : -1
    }

    private func exchange(_ one: String, _ other: String) -> Int {
        Int(lx_renameat2(lx_at_fdcwd, one, lx_at_fdcwd, other, lx_rename_exchange))
    }

    /// Everything is asked in every view, so that each kernel has something to believe the next time.
    private func differences() -> [String] {
        let expected = items.map { look(stored($0)) }
        return views.indices.flatMap { view in
            zip(items, expected).compactMap { item, expected in
                let seen = look("\(views[view])/\(item)")
                return seen == expected ? nil : "\(view) shows \(item) as \(seen), and it is \(expected)"
            }
        }
    }

    /// The path below the views of what a path in them means, name by name.
    private func stored(_ item: String) -> String {
        item.split(separator: "/").map(String.init).reduce(backing) { directory, name in
            let stored = ((try? TestKit.names(in: directory)) ?? []).filter { isOne($0, name) }
            let own = stored.first { $0.utf8.elementsEqual(name.utf8) }
            let first = stored.min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return "\(directory)/\(own ?? first ?? name)"
        }
    }

    private func isOne(_ one: String, _ other: String) -> Bool {
        switch names {
        case "simulator": one.lowercased() == other.lowercased()
        case "legacy": one.utf8.elementsEqual(other.utf8)
        default: one == other
        }
    }

    private func look(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "errno \(errno)" }
        let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let content =
            isDirectory
            ? (try? FileManager.default.contentsOfDirectory(atPath: path).sorted().joined(separator: ","))
                ?? "?"
            : "\(FileManager.default.contents(atPath: path)?.hashValue ?? 0)"
        let value = attribute("user.test", of: path) ?? []
        let size = isDirectory ? 0 : status.st_size
        return [
            "\(status.st_ino)", "\(status.st_mode)", "\(status.st_nlink)", "\(size)", "\(times)", content,
            "\(value)",
        ].joined(separator: " ")
    }
}
