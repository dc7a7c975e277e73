import Foundation
import TestKit
import Testing
import Wire

@testable import apphome

/// What a person sees of long work, and what an interrupt leaves of it.
@Suite(.serialized) struct ProgressTests {
    @Test func aLineSaysHowMuchHowFastAndHowLongAndFitsTheTerminal() {
        let start = ContinuousClock.now
        var rate = WorkRate()
        for second in 0...10 {
            let progress = Progress(bytesDone: Int64(second) * 100_000_000, totalBytes: 4_000_000_000)
            rate.note(progress, at: start + .seconds(second))
        }
        let progress = Progress(bytesDone: 1_000_000_000, totalBytes: 4_000_000_000)
        let text = ProgressText(
            progress, bytesPerSecond: rate.bytesPerSecond, secondsLeft: rate.secondsLeft)
        #expect(text.fitting(79) == "1.0 GB of 4.0 GB (25 %), 100 MB/s, 30 s left")
        #expect(text.fitting(39) == "4.0 GB, 25 %, 100 MB/s, 30 s left")
        #expect(text.fitting(19) == "25 %, 30 s left")
        #expect(text.fitting(1) == "25 %")
        let items = Progress(bytesDone: 0, itemsDone: 30, totalItems: 1200)
        #expect(
            ProgressText(items, bytesPerSecond: nil, secondsLeft: 3700).fitting(79)
                == "30 of 1,200 items (2 %), 1 h 1 min left")
        #expect(
            ProgressText(Progress(bytesDone: 5), bytesPerSecond: nil, secondsLeft: nil).fitting(79) == "5 B")
    }

    @Test func anInterruptLeavesNothingHalfAndSaysSoInOneLine() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        try place.run("mount", "Notes", place.path + "/n", "--no-sync")
        try place.run("cloud", "account", "set", "file://" + place.path + "/store")
        let (big, documents) = (place.path + "/big", place.path + "/n/Documents")
        // No room is taken, and it takes long to be read.
        for path in [big, documents + "/big"] {
            #expect(truncate(path, createdWith: 64 << 30))
        }
        let target = place.path + "/target"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        for (columns, words) in [
            (80, ["share", "put", "Notes", big, "--as", "copy"]),
            (40, ["share", "get", "Notes", "big", target]),
            (80, ["backup", "create", "--to", target]),
            (80, ["backup", "create", "--cloud"]),
        ] {
            let (status, said) = try interrupted(words, columns, place)
            #expect(status == 130, "\(words): \(said)")
            let lines = said.split(whereSeparator: \.isNewline).map {
                $0.split(separator: "\u{1B}[K").last ?? ""
            }
            let shown = said.split(separator: "\u{1B}[K").first { $0.contains(" left") } ?? ""
            #expect(shown.contains("69 GB") && shown.contains("B/s"), "\(words): \(said)")
            // With Control-C as the terminal shows it, and the line's end.
            #expect(shown.count < columns + 4, "\(words): \(said)")
            let left = words.contains("--cloud") ? "no snapshot was made" : "nothing has changed"
            #expect(lines.last?.hasPrefix("apphome: error: interrupted: \(left)") ?? false, "\(said)")
            #expect(try names(target) == [], "\(words)")
            #expect(try names(documents) == ["big"], "\(words)")
        }
    }

    @Test func elsewhereThanOnATerminalAPersonAsksForIt() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        #expect(truncate(place.path + "/small", createdWith: 1000))
        let put = try place.run("share", "put", "Notes", place.path + "/small", "--progress")
        #expect(put.status == 0 && put.errors.isEmpty, "\(put)")
    }

    /// Runs a command on a terminal, and types Control-C as soon as it shows how long it takes.
    private func interrupted(
        _ words: [String], _ columns: Int, _ place: borrowing Workplace
    ) throws -> (status: Int, said: String) {
        let script = """
            import fcntl, os, pty, signal, struct, sys, termios
            child, terminal = pty.fork()
            if child == 0:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.execv(sys.argv[2], sys.argv[2:])
            size = struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
            said, typed = b"", False
            while True:
                try:
                    said += os.read(terminal, 1024)
                except OSError:
                    break
                if b" left" in said and not typed:
                    typed = True
                    os.write(terminal, b"\\x03")
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            print(said.decode(), end="")
            """
        let arguments = ["-c", script, "\(columns)", program] + words + ["--device", place.device]
        let outcome = try apphome(arguments, in: place.device, program: "/usr/bin/python3")
        let parts = outcome.output.split(separator: "\n", maxSplits: 1)
        return (parts.first.flatMap { Int($0) } ?? -1, parts.count > 1 ? String(parts[1]) : "\(outcome)")
    }

    private func truncate(_ path: String, createdWith bytes: Int) -> Bool {
        let file = open(path, O_RDWR | O_CREAT, 0o644)
        defer { close(file) }
        return file >= 0 && ftruncate(file, bytes) == 0
    }
}
