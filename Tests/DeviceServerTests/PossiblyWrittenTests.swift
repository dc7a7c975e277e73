import Foundation
import Posix
import TestKit
import Testing
import Wire

@testable import DeviceServer

@Suite struct PossiblyWrittenTests {
    private func folder(_ place: borrowing TemporaryFolder) throws -> RunFolder {
        let directory = try Descriptor(place.path, flags: O_DIRECTORY)
        return try RunFolder(device: directory.raw, owner: try DeviceFolder.owner(of: directory))
    }

    @Test func laterDaemonsOfTheSameBootKnowIt() throws {
        let place = try TemporaryFolder()
        let folder = try folder(place)
        let first = PossiblyWritten(folder: folder, boot: "1", log: DaemonLog())
        #expect(!first.contains("local.a"))
        first.add(["local.a", "local.b"])
        for _ in 0..<2 {
            let later = PossiblyWritten(folder: folder, boot: "1", log: DaemonLog())
            #expect(later.contains("local.a") && later.contains("local.b") && !later.contains("local.c"))
        }
    }

    @Test func noProgramOutlivesABoot() throws {
        let place = try TemporaryFolder()
        let folder = try folder(place)
        PossiblyWritten(folder: folder, boot: "1", log: DaemonLog()).add(["local.a"])
        #expect(!PossiblyWritten(folder: folder, boot: "2", log: DaemonLog()).contains("local.a"))
    }

    @Test func whatIsNotWrittenAnyMoreIsForgottenAndTheFileGoesWithTheLast() throws {
        let place = try TemporaryFolder()
        let folder = try folder(place)
        let suspected = PossiblyWritten(folder: folder, log: DaemonLog())
        suspected.add(["local.a", "local.b"])
        suspected.remove("local.a")
        #expect(!PossiblyWritten(folder: folder, log: DaemonLog()).contains("local.a"))
        #expect(PossiblyWritten(folder: folder, log: DaemonLog()).contains("local.b"))
        suspected.remove("local.b")
        #expect(folder.read("possibly-written.json") == nil)
    }
}
