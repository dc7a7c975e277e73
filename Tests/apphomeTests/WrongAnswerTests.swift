import Foundation
import Posix
import Testing
import Wire

@testable import apphome

/// What a daemon says that is not as it should be, and what it is told that is not.
@Suite(.serialized) struct WrongAnswerTests {
    @Test func theAnswerToAnotherQuestionIsOneLineOfError() throws {
        let place = try Workplace()
        try FileManager.default.createDirectory(
            atPath: place.device + "/run", withIntermediateDirectories: true)
        let standIn = try StandIn(device: place.device, owner: geteuid()) { _ in .runEnded(unmounts: []) }
        for command in [["list"], ["device", "set", "names", "legacy"], ["cloud", "quota"]] {
            let outcome = try apphome(command, in: place.device)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors == "apphome: error: the daemon gave an answer to another question;"
                    + " end it and try again\n")
        }
        #expect(standIn.count == 3)
    }

    @Test func aRequestThatLacksWhatItSpeaksOfIsRefusedAndTheConnectionGoesOn() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let client = try RawClient(device: place.device)
        let file = SharedDescriptor(try Descriptor("/dev/null", flags: 0))
        let refusal = Answer.failure(CommandFailure("the request has the wrong number of descriptors"))
        #expect(try client.ask(.attachMount) == refusal)
        #expect(try client.ask(.install(InstallArguments(hasEntitlements: true)), [file]) == refusal)
        #expect(try client.ask(.cloud(.cat(app: "Notes", path: "a", version: nil))) == refusal)
        #expect(try client.ask(.backup(.restore(RestoreArguments()))) == refusal)
        #expect(try client.ask(.settings, [file]) == refusal)
        guard case .settings = try client.ask(.settings) else {
            Issue.record("the connection does not go on")
            return
        }
    }
}
