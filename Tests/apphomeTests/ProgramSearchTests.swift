import Foundation
import TestKit
import Testing

@testable import apphome

/// Whether a program is there to be started, as the app sees it.
@Suite struct ProgramSearchTests {
    @Test(arguments: [
        ("tool", ProgramSearch.Outcome.found("/inside/bin/tool")), ("./bin/tool", .found("./bin/tool")),
        ("/inside/bin/tool", .found("/inside/bin/tool")), ("env", .found("/usr/bin/env")),
        ("/usr/bin/env", .found("/usr/bin/env")), ("missing", .missing), ("", .missing),
        ("bin/tool/x", .missing), ("/usr/bin/missing-tool", .missing), ("/inside/no/tool", .missing),
        ("text", .notExecutable), ("./bin", .notExecutable), ("/usr/bin", .notExecutable),
        // Only the app sees where that leads.
        ("./bin/link", .found("./bin/link")), ("../x", .found("../x")), ("/proc/x", .found("/proc/x")),
    ])
    func itIsFoundAsTheAppSeesIt(_ name: String, _ outcome: ProgramSearch.Outcome) throws {
        let folder = try TemporaryFolder()
        let bin = folder.path + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: false)
        for (name, mode) in [("tool", 0o755), ("text", 0o644)] {
            try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: bin + "/" + name))
            #expect(chmod(bin + "/" + name, mode_t(mode)) == 0)
        }
        #expect(symlink("/nowhere", bin + "/link") == 0)
        let view = ProgramSearch.View(places: [("/inside", folder.path)], hidden: [])
        let search = ProgramSearch(directory: "/inside", path: "/inside/bin:/no:/usr/bin", view: view)
        #expect(search.find(name) == outcome)
    }

    @Test func whatLiesOutsideOfWhatTheAppSeesIsNotFoundByIt() throws {
        let folder = try TemporaryFolder()
        let tool = folder.path + "/tool"
        try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: tool))
        #expect(chmod(tool, 0o755) == 0)
        var search = ProgramSearch(directory: "/", path: folder.path, view: .init(places: [], hidden: []))
        #expect(search.find("tool") == .outOfSight && search.find(tool) == .outOfSight)
        #expect(search.refusal(of: "tool")?.status == 127)
        // No program, and not to be seen either.
        #expect(search.find(folder.path) == .missing)
        search.view?.hidden = ["/usr/bin"]
        #expect(search.find("/usr/bin/env") == .outOfSight)
        search.view = nil
        #expect(search.find("tool") == .found(tool))
    }
}
