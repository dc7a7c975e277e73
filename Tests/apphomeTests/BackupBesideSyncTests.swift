import CLinux
import Foundation
import Glibc
import TestKit
import Testing

/// A backup walks a home while sync brings there what another device moves (SYNC.md 5).
@Suite(.serialized, .timeLimit(.minutes(5))) struct BackupBesideSyncTests {
    private static let documents = 1_500

    @Test func eachDocumentIsInABackupOnceWhileItsDirectoryChangesPlaces() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        for name in ["p", "q"] {
            let folder = there + "/" + name
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for index in 0..<Self.documents {
                try "\(name)\(index)".write(toFile: "\(folder)/\(index)", atomically: false, encoding: .utf8)
            }
        }
        let names = { try? FileManager.default.contentsOfDirectory(atPath: here + "/" + $0).count }
        #expect(eventually(seconds: 120) { names("p") == Self.documents && names("q") == Self.documents })
        let package = devices.place.path + "/Notes.xcappdata"
        var exchanges = 0
        for _ in 0..<4 {
            let backup = try start(["backup", "create", "--xcappdata", package, "Notes"], in: devices.first)
            while backup.process.isRunning {
                let answer = lx_renameat2(
                    AT_FDCWD, there + "/p", AT_FDCWD, there + "/q", lx_rename_exchange)
                #expect(answer == 0)
                exchanges += 1
                usleep(150_000)
            }
            let made = try backup.wait()
            #expect(made.status == 0, "\(made)")
            let found = try texts(below: package + "/AppData/Documents")
            #expect(found.count == 2 * Self.documents && Set(found).count == found.count)
            try FileManager.default.removeItem(atPath: package)
        }
        // What waited for the walks comes after them.
        let first = exchanges % 2 == 0 ? "p0" : "q0"
        #expect(eventually { text(here + "/p/0") == first }, "\(exchanges) exchanges")
    }

    /// What each file in the folders of a folder says.
    private func texts(below folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { name in
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")
            return files.compactMap { text("\(folder)/\(name)/\($0)") }
        }
    }
}
