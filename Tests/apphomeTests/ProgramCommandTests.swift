import Foundation
import Posix
import SandboxRules
import TestKit
import Testing

@testable import apphome

/// What is known of a program before it starts.
@Suite struct ProgramCommandTests {
    private func settings(_ version: String) -> String {
        #"{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"\#(version)"}}}"#
    }

    private func write(_ name: String, _ text: String, in folder: borrowing TemporaryFolder) throws {
        try text.write(toFile: folder.path + "/" + name, atomically: false, encoding: .utf8)
    }

    private func command(_ words: [String], in folder: borrowing TemporaryFolder) -> ProgramCommand {
        ProgramCommand(words: words, directory: "/inside", places: [("/inside", folder.path)])
    }

    @Test(arguments: [
        ("mono Guide.exe", AppEnvironment.Kind.mono), ("/usr/bin/mono --debug Guide.exe", .mono),
        ("dotnet App.dll", .dotnet), ("dotnet Old.dll", .mono), ("dotnet /inside/Old.dll x", .mono),
        ("dotnet exec --runtimeconfig Old.runtimeconfig.json App.dll", .mono),
        ("dotnet Unknown.dll", .dotnet), ("dotnet exec Bad.dll", .dotnet), ("dotnet build", nil),
        ("dotnet run Old.dll", nil), ("./App", .dotnet), ("./Own --x", .dotnet), ("/inside/Old", .mono),
        ("App", nil), ("python3 App.dll", nil), ("./Bad", nil),
    ])
    func whatItIsMadeWithIsSeen(_ words: String, _ kind: AppEnvironment.Kind?) throws {
        let folder = try TemporaryFolder()
        let own = #"{"runtimeOptions":{"includedFrameworks":[{"version":"9.0.0"}]}}"#
        for (name, text) in [
            ("App", settings("8.0.1")), ("Old", settings("7.0.20")), ("Own", own), ("Bad", "{"),
        ] {
            try write(name + ".runtimeconfig.json", text, in: folder)
        }
        #expect(command(words.split(separator: " ").map(String.init), in: folder).kind == kind)
    }

    @Test(.timeLimit(.minutes(1))) func nothingThatLiesThereHoldsAnybodyUp() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/Pipe.runtimeconfig.json", 0o600) == 0)
        #expect(symlink("/dev/zero", folder.path + "/Zero.runtimeconfig.json") == 0)
        let large = settings("8.0.0" + String(repeating: " ", count: 2 << 20))
        try write("Large.runtimeconfig.json", large, in: folder)
        for name in ["Pipe", "Zero", "Large"] { #expect(command(["./" + name], in: folder).kind == nil) }
    }

    @Test func programsForIOSAreRecognised() throws {
        let folder = try TemporaryFolder()
        for (name, bytes): (String, [UInt8]) in [
            ("thin", [0xcf, 0xfa, 0xed, 0xfe, 0, 0]), ("fat", [0xca, 0xfe, 0xba, 0xbe]),
        ] {
            try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
            #expect(command(["./" + name], in: folder).isMachO, "\(name)")
        }
        try write("script", "#!/bin/sh\n", in: folder)
        try write("short", "\u{7f}", in: folder)
        for name in ["./script", "./short", "./none", "thin"] {
            #expect(!command([name], in: folder).isMachO, "\(name)")
        }
    }
}
