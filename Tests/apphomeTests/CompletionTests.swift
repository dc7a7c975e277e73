import Foundation
import Testing

/// What a shell offers at a tab, by the script that is installed for bash.
@Suite(.serialized) struct CompletionTests {
    @Test func appsAndDevicesAreOfferedAndNoDaemonIsStarted() throws {
        let place = try Workplace()
        for app in ["Notes", "Big Notes", "Ledger"] { try place.run("new", app) }
        let named = place.device + "-home/.local/share/apphome/devices/work"
        try FileManager.default.createDirectory(atPath: named, withIntermediateDirectories: true)
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
        let lastUse = try place.lastUse
        // What is no single word of a shell is offered by its identifier.
        #expect(try place.offers("mount", "") == "Ledger Notes local.Big-Notes")
        #expect(try place.offers("cloud", "status", "N") == "Notes")
        #expect(try place.offers("info", "local.N") == "local.Notes")
        #expect(try place.offers("list", "--device", "") == "work")
        #expect(try place.offers("info", "--device", "work", "") == "")
        #expect(try place.offers("info", "--device", place.path + "/nowhere", "") == "")
        #expect(try place.lastUse == lastUse)
        #expect(!FileManager.default.fileExists(atPath: place.path + "/nowhere"))
    }

    @Test func itWaitsForNoDaemonThatDoesNotAnswer() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n", "--no-sync")
        let daemons = place.daemonProcessIDs
        for daemon in daemons { kill(daemon, SIGSTOP) }
        defer { for daemon in daemons { kill(daemon, SIGCONT) } }
        #expect(daemons.count == 1)
        #expect(try place.offers("mount", "N") == "Notes")
    }
}

extension Workplace {
    /// When a daemon of the device last began or ended: each makes a socket there, and removes it.
    fileprivate var lastUse: Date {
        get throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: device + "/run")
            return try #require(attributes[.modificationDate] as? Date)
        }
    }

    /// What bash offers for the last word, after a tab; the words begin after `apphome`.
    fileprivate func offers(_ words: String...) throws -> String {
        let script = """
            apphome() { "$program" "$@"; }
            program=$1 APPHOME_DEVICE=$2; export APPHOME_DEVICE; shift 2
            source <(apphome --generate-completion-script bash)
            COMP_WORDS=(apphome "$@") COMP_CWORD=$# COMP_LINE="apphome $*" COMPREPLY=()
            COMP_POINT=${#COMP_LINE}
            _apphome apphome "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "${COMPREPLY[*]}"
            """
        let shell = ["-c", script, "bash", program, device]
        let tab = try apphome(shell + words, in: device, program: "/bin/bash")
        #expect(tab.status == 0 && tab.errors.isEmpty, "\(tab)")
        return tab.output.trimmingCharacters(in: .newlines)
    }
}
