import Foundation
import TestKit
import Testing

/// The question for a backup's password, on a terminal.
@Suite struct PasswordQuestionTests {
    /// Types Control-C once the terminal shows nothing any more; says how the command ended, and whether the
    /// terminal shows again what is typed.
    private static let script = """
        import os, pty, signal, sys, termios
        child, terminal = pty.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(sys.argv[1], sys.argv[1:])
        def echoes():
            return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
        said = b""
        while not said.endswith(b": "):
            said += os.read(terminal, 1024)
        while echoes():
            pass
        os.write(terminal, b"\\x03")
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), echoes())
        """

    @Test(.timeLimit(.minutes(1))) func whoEndsItIsLeftWithATerminalThatShowsWhatIsTyped() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let python = Foundation.Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = [
            "-c", Self.script, program, "backup", "create", "--to", place.path, "--device", place.device,
            "--encrypt",
        ]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        python.waitUntilExit()
        #expect(text == "130 True\n")
    }
}
