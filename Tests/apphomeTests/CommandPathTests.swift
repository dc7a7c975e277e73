import Testing

@testable import apphome

/// What is said of a command line that means nothing.
@Suite struct CommandPathTests {
    @Test(arguments: [
        (["moutn", "x"], "there is no command moutn; did you mean apphome mount?", "apphome --help"),
        (
            ["share", "gett"], "there is no command share gett; did you mean apphome share get?",
            "apphome share --help"
        ),
        (["device", "xyzzyplugh"], "there is no command device xyzzyplugh.", "apphome device --help"),
    ]) func aWordThatIsNoCommandIsNamed(_ words: [String], _ complaint: String, _ help: String) {
        let path = CommandPath(words, of: AppHomeCommand.self)
        #expect(path.complaint == complaint)
        #expect(path.help == help)
    }

    @Test(arguments: [
        ("Unknown option '--jsn'. Did you mean '--json'?", true),
        ("Unknown option '--json'. Did you mean '--for'?", false),
        ("Unknown option '--wait'. Did you mean '--data'?", false),
        ("Missing expected argument '<app>'", true),
    ]) func aGuessThatNobodyCanHaveMeantIsLeftOut(_ said: String, _ stays: Bool) {
        let left = said.split(separator: ".").first.map(String.init)
        #expect(CommandPath.withoutFarGuess(said) == (stays ? said : left))
    }

    @Test func theHelpOfTheCommandThatIsMeantIsNamed() throws {
        let place = try Workplace()
        for (words, said) in [
            (["share", "get", "Notes"], "Missing expected argument '<name>'. See: apphome share get --help"),
            (["mount", "a", "b", "--foregroud"], "Did you mean '--foreground'? See: apphome mount --help"),
            (["share", "gett", "x"], "did you mean apphome share get? See: apphome share --help"),
            (["help", "moutn"], "did you mean apphome mount? See: apphome --help"),
            (["help", "share", "gett"], "did you mean apphome share get? See: apphome share --help"),
        ] {
            let outcome = try apphome(words, in: place.device)
            #expect(outcome.status == 64 && outcome.errors.contains(said), "\(outcome)")
        }
        for words in [["help"], ["help", "help"], ["help", "share", "get"], ["help", "--help"]] {
            #expect(try apphome(words, in: place.device).status == 0, "\(words)")
        }
    }
}
