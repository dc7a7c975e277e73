import Foundation
import TestKit
import Testing

/// Real programs in a home and on the plain disk, compared (`mount-scripts/programs`).
@Suite(.serialized) struct ProgramsTests {
    @Test(arguments: ["git", "sqlite", "tar", "rsync"])
    func aProgramDoesInAHomeWhatItDoesOnTheDisk(_ program: String) throws {
        let mounted = try MountedHome()
        let control = try TemporaryFolder()
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../mount-scripts/programs").standardizedFileURL.path
        #expect(run(script, control.path, mounted.documents, "--quick", "--only", program) == 0)
    }
}
