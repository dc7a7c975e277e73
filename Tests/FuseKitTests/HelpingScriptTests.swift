import Posix
import TestKit
import Testing

@Suite struct HelpingScriptTests {
    @Test func `An installed program names its script by its path, any other as in a checkout`() throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/bin/apphome"
        #expect(HelpingScript.allowRun.path(besideProgram: program) == "mount-scripts/allow-run")

        let installed = try folder.directory("share/apphome") + "/allow-run"
        try write("", to: installed)
        #expect(HelpingScript.allowRun.path(besideProgram: program) == installed)
        #expect(HelpingScript.enableRing.path(besideProgram: program) == "mount-scripts/enable-ring")
        // What lies elsewhere is no installation.
        let other = folder.path + "/release/apphome"
        #expect(HelpingScript.allowRun.path(besideProgram: other) == "mount-scripts/allow-run")
    }
}
