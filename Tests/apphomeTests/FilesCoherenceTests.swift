import CLinux
import Foundation
import Posix
import TestKit
import Testing

/// Random changes in a home, in Files and in the device's tree: each is seen by all in the very next call.
@Suite(.serialized) struct FilesCoherenceTests {
    /// More by hand: each seed is a history of its own.
    private static let seeds =
        UInt64(ProcessInfo.processInfo.environment["APPHOME_FILES_SEEDS"] ?? "") ?? 2

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

    /// An answer that was under way while its item changed is not believed afterwards.
    @Test(arguments: ["auto", "classic"])
    func noAnswerFromBeforeAChangeIsBelievedAfterIt(_ transport: String) throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--files").status == 0)
        let (home, files) = (place.path + "/home", place.path + "/files")
        for arguments in [["files", "mount", files], ["mount", "Notes", home, "--no-sync"]] {
            let mounted = try apphome(arguments + ["--transport", transport], in: place.device)
            #expect(mounted.status == 0, "\(mounted)")
        }
        let names = (0..<5).map { "f\($0)" }
        let isDone = Lock(false)
        let readers = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: readers) {
                while !isDone.withLock({ $0 }) {
                    for name in names { _ = permissions(files + "/Notes/" + name) }
                }
            }
        }
        var wrong: [String] = []
        for round in 0..<300 {
            let name = names[round % names.count]
            let (item, shown) = (home + "/Documents/" + name, files + "/Notes/" + name)
            close(open(item, O_CREAT | O_WRONLY, 0o600))
            let file = open(shown, O_RDONLY)
            for mode: mode_t in [0o600, 0o640, 0o644, 0o604] {
                chmod(item, mode)
                if permissions(of: file) != mode || permissions(shown) != mode {
                    wrong.append("\(round): not \(String(mode, radix: 8))")
                }
            }
            unlink(item)
            if linkCount(of: file) != 0 || permissions(shown) != nil { wrong.append("\(round): still there") }
            close(file)
        }
        isDone.withLock { $0 = true }
        readers.wait()
        #expect(wrong.isEmpty, "\(wrong)")
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
        let info = try place.run("info", "Notes", "--json").object
        let backing = try #require(info["home"] as? String) + "/Documents"
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
    /// Files that stay open, in whichever view, with the same file opened in the backing.
    private var held: [(name: String, file: Int32, backing: Int32)] = []
    private let mapped: MappedFile
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
        mapped = MappedFile(inHome: views[0], backing)
        self.names = names
        self.items = items
    }

    /// - Returns: the last steps and what differs after them; empty where nothing does.
    mutating func run(steps: Int) -> [String] {
        for item in items where !item.contains("/") {
            try? FileManager.default.removeItem(atPath: views[0] + "/" + item)
        }
        for name in ["d", "e"] where items.contains(name) { mkdir("\(views[1])/\(name)", 0o755) }
        defer {
            for held in held {
                close(held.file)
                close(held.backing)
            }
            held = []
        }
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
        switch Int.random(in: 0..<18, using: &random) {
        case 0...2: (what, outcome) = ("write \(one)", write(path, O_CREAT | O_WRONLY))
        case 3: (what, outcome) = ("append \(one)", write(path, O_APPEND | O_WRONLY))
        case 4: (what, outcome) = ("truncate \(one)", Int(truncate(path, off_t(random.next() % 9000))))
        case 5: (what, outcome) = ("rename \(one) \(other)", Int(rename(path, second)))
        case 6: (what, outcome) = ("exchange \(one) \(other)", exchange(path, second))
        case 7: (what, outcome) = ("link \(one) \(other)", Int(link(path, second)))
        case 8: (what, outcome) = ("unlink \(one)", Int(unlink(path)))
        case 9: (what, outcome) = ("mkdir \(one)", Int(mkdir(path, 0o755)))
        case 10: (what, outcome) = ("rmdir \(one)", Int(rmdir(path)))
        case 12: (what, outcome) = ("hold \(one)", hold(one, in: view))
        case 13, 14: (what, outcome) = ("append to a held file", appendToHeld())
        case 15, 16: (what, outcome) = ("write what is mapped", writeMapped(in: view))
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

    /// Opens a file, and keeps it open whatever becomes of its name.
    private mutating func hold(_ item: String, in view: Int) -> Int {
        let file = open("\(views[view])/\(item)", O_RDWR | O_APPEND)
        if file < 0 { return -1 }
        held.append(("\(view)'s \(item)", file, open(stored(item), O_RDONLY)))
        if held.count > 4 {
            let oldest = held.removeFirst()
            close(oldest.file)
            close(oldest.backing)
        }
        return 0
    }

    private mutating func appendToHeld() -> Int {
        guard let chosen = held.randomElement(using: &random) else { return 0 }
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: 700)
        return Glibc.write(chosen.file, bytes, bytes.count)
    }

    /// By a mapping in the home; other views are not to be mapped for writing (ENODEV).
    private mutating func writeMapped(in view: Int) -> Int {
        let (offset, byte) = (Int(random.next() % 8000), UInt8(truncatingIfNeeded: random.next()))
        if view == 0, random.next() % 2 == 0 { return mapped.store(byte, at: offset) }
        let file = open("\(views[view])/\(MappedFile.name)", O_WRONLY)
        defer { close(file) }
        return pwrite(file, [byte], 1, off_t(offset))
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
        let items = items + [MappedFile.name]
        let expected = items.map { look(stored($0)) }
        let names = views.indices.flatMap { view in
            zip(items, expected).compactMap { item, expected in
                let seen = look("\(views[view])/\(item)")
                return seen == expected ? nil : "\(view) shows \(item) as \(seen), and it is \(expected)"
            }
        }
        let open = held.filter { bytes($0.file) != bytes($0.backing) }.map { "\($0.name), open, differs" }
        return names + open + (mapped.isAsItIs ? [] : ["the mapping in the home differs"])
    }

    /// All of an open file, with its status.
    private func bytes(_ file: Int32) -> [UInt8] {
        var status = stat()
        fstat(file, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        let count = pread(file, &bytes, bytes.count, 0)
        return Array("\(status.st_size) \(status.st_nlink) \(count) ".utf8) + bytes
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

/// A file of two pages that is mapped in the home, and that changes in place alone.
private final class MappedFile {
    static let name = "mapped"
    private static let sizeBytes = 8192
    private let bytes: UnsafeMutableRawPointer
    private let backing: Int32

    init(inHome home: String, _ backing: String) {
        let file = open("\(home)/\(Self.name)", O_RDWR | O_CREAT, 0o644)
        ftruncate(file, off_t(Self.sizeBytes))
        bytes = mmap(nil, Self.sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        self.backing = open("\(backing)/\(Self.name)", O_RDONLY)
    }

    deinit {
        munmap(bytes, Self.sizeBytes)
        close(backing)
    }

    /// What is stored is the file's once msync(2) has answered.
    func store(_ byte: UInt8, at offset: Int) -> Int {
        bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        return Int(msync(bytes, Self.sizeBytes, MS_SYNC))
    }

    /// Whether the mapping shows what the file holds.
    var isAsItIs: Bool {
        var now = [UInt8](repeating: 0, count: Self.sizeBytes)
        pread(backing, &now, now.count, 0)
        return UnsafeRawBufferPointer(start: bytes, count: Self.sizeBytes).elementsEqual(now)
    }
}

/// Nil where there is nothing.
private func permissions(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
}

private func permissions(of file: Int32) -> mode_t? {
    var status = stat()
    return fstat(file, &status) == 0 ? status.st_mode & 0o7777 : nil
}

private func linkCount(of file: Int32) -> Int? {
    var status = stat()
    return fstat(file, &status) == 0 ? Int(status.st_nlink) : nil
}
