import CLinux
import Foundation
import Posix
import Synchronization
import TestKit
import Testing

/// Apps that come, are upgraded, get another name and go, again and again under a mounted Files view and a
/// mounted tree of the device, with readers in both.
@Suite(.serialized) struct FilesChangesTests {
    /// More by hand.
    private static let rounds = Int(ProcessInfo.processInfo.environment["APPHOME_FILES_ROUNDS"] ?? "") ?? 8

    /// What a reader may meet in an app that goes.
    private static let expected: Set<Int32> = [ENOENT, ESTALE]

    @Test func appsComeAndGoUnderReaders() throws {
        let place = try Workplace()
        let (files, root) = (place.path + "/files", place.path + "/root")
        for (name, id) in [("Letters", "org.example.z"), ("Still", "org.example.s")] {
            #expect(try place.run("new", name, "--files", "--id", id).status == 0)
        }
        #expect(try place.run("files", "mount", files).status == 0)
        #expect(try place.run("device", "root", root).status == 0)
        try "still".write(toFile: files + "/Still/a", atomically: false, encoding: .utf8)
        let versions = try ["Notes", "Letters"].enumerated().map { number, name in
            try Self.bundle(called: name, "\(number + 1).0", place)
        }
        let readers = try [files, root].map(Reader.init)
        for round in 0..<Self.rounds {
            try step(["install", versions[0]], place, files, ["Letters", "Notes", "Still"])
            let inside = open(files + "/Notes", O_RDONLY | O_DIRECTORY)
            defer { close(inside) }
            try "\(round)".write(toFile: files + "/Notes/a", atomically: false, encoding: .utf8)
            try step(["install", versions[1]], place, files, ["Letters", "Letters 2", "Still"])
            #expect(text(files + "/Letters 2/a") == "\(round)")
            // A working directory is in the same documents still.
            let document = openat(inside, "a", O_RDONLY)
            #expect(document >= 0)
            close(document)
            try step(["uninstall", "org.example.a", "--yes"], place, files, ["Letters", "Still"])
            #expect(openat(inside, "a", O_RDONLY) == -1 && Self.expected.contains(errno))
        }
        for reader in readers {
            let seen = reader.stop()
            #expect(seen.looks > Self.rounds && seen.errors.subtracting(Self.expected).isEmpty, "\(seen)")
        }
        #expect(text(files + "/Still/a") == "still")
    }

    private func step(
        _ command: [String], _ place: borrowing Workplace, _ files: String, _ names: [String]
    ) throws {
        let done = try apphome(command, in: place.device)
        #expect(done.status == 0, "\(done)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).sorted() == names)
    }

    /// A version of one app, under another name.
    private static func bundle(
        called name: String, _ version: String, _ place: borrowing Workplace
    ) throws -> String {
        let folder = "\(place.path)/\(version)/App.app"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let keys: [String: Any] = [
            "CFBundleIdentifier": "org.example.a", "CFBundleDisplayName": name, "CFBundleExecutable": "App",
            "CFBundleShortVersionString": version, "LSSupportsOpeningDocumentsInPlace": true,
        ]
        let list = try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0)
        try list.write(to: URL(filePath: folder + "/Info.plist"))
        try "".write(toFile: folder + "/App", atomically: false, encoding: .utf8)
        return folder
    }
}

/// Walks through a directory on a thread of its own.
private final class Reader {
    private let walk: Walk
    private let thread: Joined

    init(_ directory: String) throws {
        let walk = Walk()
        self.walk = walk
        thread = Joined(try NativeThread(name: "reader") { walk.goOn(in: directory) })
    }

    /// - Returns: how often it came through, and the errors that it met.
    func stop() -> Walk.Seen {
        walk.isStopped.store(true, ordering: .relaxed)
        thread.join()
        return walk.seen.withLock { $0 }
    }
}

private final class Walk: Sendable {
    struct Seen {
        var looks = 0
        var errors: Set<Int32> = []
    }

    let isStopped = Atomic<Bool>(false)
    let seen = Mutex(Seen())

    func goOn(in directory: String) {
        while !isStopped.load(ordering: .relaxed) {
            walk(directory)
            seen.withLock { $0.looks += 1 }
        }
    }

    private func walk(_ directory: String) {
        guard let listing = opendir(directory) else { return note() }
        defer { closedir(listing) }
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                if errno != 0 { note() }
                return
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { look(at: directory + "/" + name) }
        }
    }

    private func look(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return note() }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: walk(path)
        case S_IFREG:
            let file = open(path, O_RDONLY)
            guard file >= 0 else { return note() }
            defer { close(file) }
            var byte: UInt8 = 0
            if read(file, &byte, 1) < 0 { note() }
        default: break
        }
    }

    private func note() {
        let error = errno
        seen.withLock { _ = $0.errors.insert(error) }
    }
}
