import Glibc
import SystemPackage
import Testing

@testable import posix_suite

@Suite("The runner")
struct RunnerTests {
    @Test("Each case has a directory of its own, and nothing is left of it")
    func directoriesAreFresh() throws {
        let directory = try ScratchDirectory()
        do {
            guard let runner = Runner(directory: directory.path, deadlineSeconds: 30) else {
                throw Errno(rawValue: errno)
            }
            let make = Case("a", .list("."), .mkdir("d"), .create("d/f"), .chmod("d", 0), .list("."))
            for _ in 0..<2 {
                #expect(
                    runner.outcome(of: make).text == "list nothing; mkdir ok; create ok; chmod ok; list d/")
            }
        }
        #expect(directory.entryCount == 0)
    }

    @Test("A case's umask and working directory end with it")
    func threadsAreApart() throws {
        let directory = try ScratchDirectory()
        guard let runner = Runner(directory: directory.path, deadlineSeconds: 30) else {
            throw Errno(rawValue: errno)
        }
        var before: [CChar] = Array(repeating: 0, count: 4096)
        var after = before
        try #require(getcwd(&before, before.count) != nil)
        let change = Case("a", .umask(0o777), .mkdir("d"), .chdir("/"), .workingDirectory())
        let look = Case("b", .workingDirectory(), .umask(0))
        #expect(runner.outcome(of: change).text == "umask 0022; mkdir ok; chdir ok; getcwd /")
        #expect(runner.outcome(of: look).text == "getcwd case; umask 0022")
        try #require(getcwd(&after, after.count) != nil)
        #expect(before == after)
    }

    @Test("A case that does not end is told, not waited for")
    func hangsAreTold() throws {
        let directory = try ScratchDirectory()
        guard let runner = Runner(directory: directory.path, deadlineSeconds: 1) else {
            throw Errno(rawValue: errno)
        }
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let reader = ends[0]
        let hang = Step("wait") { _ in
            var byte: UInt8 = 0
            return "\(read(reader, &byte, 1))"
        }
        #expect(runner.outcome(of: Case("a", hang)) == .hung)
        close(ends[1])
    }

    @Test("A case that has a whole directory finds it empty and its own, and nothing is left of it")
    func wholeDirectoriesAreFresh() throws {
        let directory = try ScratchDirectory()
        let make = Case(
            "a", .list("."), .mode("."), .mkdir("d"), .create("d/f"), .chmod("d", 0), .chmod(".", 0o700))
        do {
            guard let runner = Runner(directory: directory.path, isWhole: true, deadlineSeconds: 30) else {
                throw Errno(rawValue: errno)
            }
            for _ in 0..<2 {
                #expect(
                    runner.outcome(of: make).text
                        == "list nothing; stat 0755; mkdir ok; create ok; chmod ok; chmod ok")
                #expect(directory.entryCount == 0)
            }
        }
        #expect(directory.entryCount == 0)
    }

    @Test("A whole directory that holds something is refused, and keeps it")
    func wholeDirectoriesMustBeEmpty() throws {
        let directory = try ScratchDirectory()
        close(open(directory.path + "/kept", O_CREAT | O_WRONLY, 0o644))
        if Runner(directory: directory.path, isWhole: true, deadlineSeconds: 1) != nil {
            Issue.record("it was taken")
        }
        #expect(directory.entryCount == 1)
    }

    @Test("A directory that is not there is refused")
    func directoryMustExist() {
        if Runner(directory: "/no/such/directory", deadlineSeconds: 1) != nil { Issue.record("it was made") }
    }
}

@Suite("The program", .serialized)
struct ProgramTests {
    @Test("Two plain directories show the same in every case", arguments: [[], ["--as-user"]])
    func plainDirectoriesAgree(identity: [String]) throws {
        let one = try ScratchDirectory()
        let other = try ScratchDirectory()
        let result = try Program.run(["compare", one.path, other.path, "--plain"] + identity)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lastLine.hasSuffix(" passed, 0 failed"))
        #expect(result.lastLine.split(separator: " ").first.flatMap { Int($0) } ?? 0 >= 300)
    }

    @Test("An exception that a directory does not show fails the comparison")
    func missingExceptionsFail() throws {
        let one = try ScratchDirectory()
        let other = try ScratchDirectory()
        let result = try Program.run(["compare", one.path, other.path, "--only", "stat/birth time"])
        #expect(result.status == 1)
        #expect(result.lastLine == "0 passed, 1 failed")
        #expect(result.output.contains("the mount does not show what is written for birth time"))
    }

    @Test("A pattern that selects nothing is no success")
    func nothingIsNoSuccess() throws {
        let one = try ScratchDirectory()
        let other = try ScratchDirectory()
        let result = try Program.run(["compare", one.path, other.path, "--only", "no such case"])
        #expect(result.status == 1 && result.lastLine == "0 passed, 0 failed")
    }

    @Test("Every line of JSON has its case, and text that needs it is escaped")
    func json() throws {
        let directory = try ScratchDirectory()
        let result = try Program.run(["run", directory.path, "--json", "--only", "name/of other systems"])
        #expect(result.status == 0)
        #expect(result.lastLine.hasPrefix(#"{"case":"name/of other systems","outcome":"create ok;"#))
        #expect(result.lastLine.contains(#"list \"q\" CON a*?<>|b a:b a\\b"#))
    }

    @Test("A wrong command line is status 64")
    func usage() throws {
        #expect(try Program.run(["dance"]).status == 64)
    }
}
