import Foundation
import Glibc
import Posix
import TestKit
import Testing

@testable import sync_storm

/// `watch --path`: the app's metadata query.
@Suite(.serialized) struct MetadataQueryTests {
    @Test(.timeLimit(.minutes(2))) func whatMatchesIsFoundAndThenFollowed() throws {
        let place = try Workplace()
        let home = place.path + "/home"
        try place.run("new", "Notes")
        try place.run("mount", "Notes", home, "--no-sync")
        let documents = home + "/Documents"
        try write("one", to: documents + "/a.txt")
        try write("two", to: documents + "/b.dat")
        let query = try Query(["--path", "*.txt"], in: place.device)
        #expect(try query.next() == "found Documents/a.txt" && query.next() == "gathered 1")
        try write("three", to: documents + "/c.txt")
        #expect(try query.next() == "added Documents/c.txt")
        try write("longer than that", to: documents + "/c.txt")
        #expect(try query.next(withChanges: true) == "changed Documents/c.txt")
        #expect(rename(documents + "/b.dat", documents + "/b.txt") == 0)
        #expect(try query.next() == "added Documents/b.txt")
        #expect(mkdir(documents + "/d", 0o755) == 0)
        try write("in it", to: documents + "/d/e.txt")
        #expect(try query.next() == "added Documents/d/e.txt")
        #expect(rename(documents + "/d", documents + "/f") == 0)
        #expect(
            try Set([query.next(), query.next()]) == ["removed Documents/d/e.txt", "added Documents/f/e.txt"])
        // What no program did through the mount.
        try write("put", to: place.path + "/put.txt")
        try place.run("cp", place.path + "/put.txt", "Notes:Documents/f")
        #expect(try query.next() == "added Documents/f/put.txt")
        #expect(unlink(documents + "/a.txt") == 0)
        #expect(try query.next() == "removed Documents/a.txt")
        try place.run("unmount", home)
        let ended = try query.end()
        #expect(ended.status == 1 && ended.output == "" && ended.errors.contains("unmounted"), "\(ended)")
    }

    @Test(.timeLimit(.minutes(2))) func aPredicateSaysWhichAndWhatIsWrongIsSaid() throws {
        let place = try Workplace()
        let home = place.path + "/home"
        try place.run("new", "Notes")
        try place.run("mount", "Notes", home, "--no-sync")
        try write("small", to: home + "/Documents/small")
        try write(String(repeating: "x", count: 3000), to: home + "/Documents/large")
        try write(String(repeating: "x", count: 3000), to: home + "/Library/large")
        for (predicate, found) in [
            ("size > 2K and kind == file", ["large"]), ("not size > 2K", ["small"]),
            ("name like 's*' or (name == \"large\" and modified > 2001-01-01)", ["large", "small"]),
            ("modified < 2001-01-01T00:00:00Z", []),
        ] {
            let query = try Query(["--path", "*", "--predicate", predicate], in: place.device)
            #expect(try found.map { "found Documents/\($0)" } == found.map { _ in try query.next() })
            #expect(try query.next() == "gathered \(found.count)", "\(predicate)")
        }
        let all = try Query(["--path", "Library/l*", "--scope", "all"], in: place.device)
        #expect(try all.next() == "found Library/large" && all.next() == "gathered 1")
        for predicate in ["size >", "size > many", "colour == red", "name ! x", "(size > 1", "size > 1 size"]
        {
            let refused = try place.run("watch", "Notes", "--path", "*", "--predicate", predicate)
            #expect(refused.status == 64 && refused.errors.contains("the predicate has"), "\(refused)")
        }
        try place.run("unmount", home)
        let refused = try place.run("watch", "Notes", "--path", "*")
        #expect(refused.status == 1 && refused.errors.contains("mount it first"), "\(refused)")
    }

    /// Creates, renames and removes on two devices; at rest each reader knows what is there.
    /// APPHOME_QUERY_SEEDS: how many loops, for a run by hand.
    @Test(.timeLimit(.minutes(30))) func atRestAReaderKnowsWhatIsThere() throws {
        let seeds = ProcessInfo.processInfo.environment["APPHOME_QUERY_SEEDS"].flatMap(UInt64.init) ?? 3
        let fleet = try Fleet(2, on: .folder)
        try fleet.mountAll()
        let queries = try fleet.devices.map { try Query(["--path", "*"], in: $0.folder) }
        for query in queries { query.follow() }
        for seed in 1...seeds {
            var random = SeededRandom(seed: seed)
            for _ in 0..<60 {
                act(in: fleet.devices[random.below(2)].documents, &random)
                if random.below(10) == 0 { usleep(UInt32(random.below(200_000))) }
            }
            #expect(try fleet.converge() == [])
            for (device, query) in zip(fleet.devices, queries) {
                let isEqual = try eventually(seconds: 20) { try query.known == listing(device.point) }
                let differences = try query.known.symmetricDifference(listing(device.point))
                #expect(isEqual, "seed \(seed): \(differences)")
            }
        }
        try fleet.unmountAll()
    }

    private func act(in documents: String, _ random: inout SeededRandom) {
        let places = [documents, documents + "/d", documents + "/d/e", documents + "/f"]
        let (here, there) = (places[random.below(4)], places[random.below(4)])
        let (name, other) = ("\(here)/\(random.below(5)).txt", "\(there)/\(random.below(5)).txt")
        switch random.below(8) {
        case 0, 1, 2: try? "\(random.below(1000))".write(toFile: name, atomically: false, encoding: .utf8)
        case 3, 4: rename(name, other)
        case 5: unlink(name)
        case 6: mkdir(places[1 + random.below(3)], 0o755)
        default: rename(places[1 + random.below(3)], places[1 + random.below(3)])
        }
    }

    /// Of the home's documents, by another program.
    private func listing(_ home: String) throws -> Set<String> {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: home + "/Documents")
        return Set(paths.map { "Documents/" + $0 })
    }
}

/// `watch --path`, as a process.
private final class Query: @unchecked Sendable {
    private struct Line: Decodable {
        let event: String
        let path: String?
        let count: Int?
    }

    private let running: Running
    private let paths = Lock<Set<String>>([])

    init(_ words: [String], in device: String) throws {
        running = try start(["watch", "Notes"] + words, in: device)
    }

    deinit {
        kill(running.process.processIdentifier, SIGKILL)
        running.process.waitUntilExit()
    }

    /// What it says from here on, when it has ended.
    func end() throws -> Outcome { try running.wait() }

    /// The next line, in short; one that says only that something changed where that is asked for.
    func next(withChanges: Bool = false) throws -> String {
        while true {
            let line = try read()
            guard withChanges || line.event != "changed" else { continue }
            return "\(line.event) \(line.path ?? "\(line.count ?? -1)")"
        }
    }

    /// From here on it is read on a thread of its own.
    func follow() {
        let thread = Thread { [self] in
            while let line = try? read() {
                guard let path = line.path else { continue }
                paths.withLock { paths in
                    if line.event == "removed" { paths.remove(path) } else { paths.insert(path) }
                }
            }
        }
        thread.start()
    }

    var known: Set<String> { paths.withLock { $0 } }

    private func read() throws -> Line {
        var line = Data()
        while let byte = try running.output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte == Data("\n".utf8) { break }
            line += byte
        }
        return try JSONDecoder().decode(Line.self, from: line)
    }
}
