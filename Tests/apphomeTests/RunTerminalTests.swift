import Foundation
import TestKit
import Testing

/// What a program that runs as an app has of the terminal in which it was started.
@Suite(.serialized) struct RunTerminalTests {
    @Test func noInputIsPutIntoTheTerminalAndProgramsGoOnWorkingThere() throws {
        let place = try RunPlace()
        let script = """
            import ctypes, errno, fcntl, os, struct, termios, time
            libc = ctypes.CDLL(None, use_errno=True)
            def told(request):
                answer = libc.ioctl(0, ctypes.c_ulong(request), ctypes.c_char_p(b"x"))
                return "done" if answer == 0 else errno.errorcode[ctypes.get_errno()]
            print(told(0x5412), told(0x100005412), told(0x541c), told(0x5423))
            print(flush=True)
            # The terminal gets its size with the first output.
            rows, end = 0, time.monotonic() + 60
            while rows != 33 and time.monotonic() < end:
                rows = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))[0]
            print("tty", os.isatty(0), rows, os.tcgetpgrp(os.open("/dev/tty", os.O_RDWR)) >= 0)
            """
        let outcome = try inTerminal(RunPlace.asOwner + [program], ["python3", "-c", script], place)
        #expect(outcome.output.contains("EPERM EPERM EPERM EPERM"), "\(outcome)")
        #expect(outcome.output.contains("tty True 33 True"), "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0)) func rootsTerminalIsNoTerminalOfAnotherUsersProcesses() throws {
        let place = try RunPlace()
        let script = "test -t 0 && echo is shown; : < /dev/tty && echo and opened"
        let outcome = try inTerminal([program], ["bash", "-c", script], place)
        #expect(outcome.output.contains("is shown") && outcome.output.contains("and opened"), "\(outcome)")
        // The shell alone, which is root's.
        #expect(outcome.output.contains("in it: sh\n"), "\(outcome)")
    }

    /// A shell that is the owner's, and says how its command ended and how the terminal is set then.
    private var shell: [String] {
        let line = "\"$0\" \"$@\"; echo ended $?; stty -a | grep -o '[-]*icanon' | tr a-z A-Z"
        return RunPlace.asOwner + ["sh", "-c", line, program]
    }

    @Test func theTerminalAndTheProcessesOfThePersonAreOutOfReach() throws {
        let place = try RunPlace()
        // The shell, this command and bubblewrap are in one process group.
        let outcome = try inTerminal(shell, ["sh", "-c", "trap 'exit 5' USR1; kill -USR1 0; sleep 9"], place)
        #expect(outcome.status == 0 && outcome.output.contains("ended 5"), "\(outcome)")
        let stopped = try inTerminal(shell, ["python3", "-c", "import os; os.kill(0, 9)"], place)
        #expect(stopped.status == 0 && stopped.output.contains("ended 137"), "\(stopped)")
    }

    @Test func whatIsTypedReachesTheProgramAndTheTerminalIsAsBefore() throws {
        let place = try RunPlace()
        let script = """
            trap 'echo caught; exit 7' INT
            stty -echo; echo ready; read line; echo "got $line"; stty raw; echo keys
            dd bs=1 count=1 2> /dev/null; stty sane; echo interrupt; while :; do sleep 0.05; done
            """
        let outcome = try inTerminal(
            shell, ["bash", "-c", script], place,
            typing: [("ready", "word\n"), ("keys", "k"), ("interrupt", "\u{3}")])
        #expect(outcome.output.contains("got word") && outcome.output.contains("caught"), "\(outcome)")
        #expect(outcome.output.contains("ended 7\r\nICANON"), "\(outcome)")
    }

    @Test func onlyTheStreamsThatAreATerminalAreOne() throws {
        let place = try RunPlace()
        let script = """
            for stream in 0 1 2; do test -t $stream && echo $stream is >&2; done
            test -t 0 && { echo answer >&2; read line; echo "got $line"; } || cat; : < /dev/tty && echo own
            """
        let into = "\"$0\" \"$@\" | cat; echo end"
        let output = try inTerminal(
            RunPlace.asOwner + ["sh", "-c", into, program], ["sh", "-c", script], place,
            typing: [("answer", "word\n")])
        for line in ["0 is", "2 is", "got word", "own"] {
            #expect(output.output.contains(line + "\r\n"), "\(output)")
        }
        #expect(!output.output.contains("1 is"), "\(output)")
        let from = "echo piped | \"$0\" \"$@\"; echo end"
        let input = try inTerminal(
            RunPlace.asOwner + ["sh", "-c", from, program], ["sh", "-c", script], place)
        for line in ["1 is", "2 is", "piped", "own"] {
            #expect(input.output.contains(line + "\r"), "\(input)")
        }
        #expect(!input.output.contains("0 is"), "\(input)")
    }

    @Test func theInterruptKeyReachesTheProgramInAPipelineToo() throws {
        let place = try RunPlace()
        let line = "trap : INT; \"$0\" \"$@\" | (trap '' INT; cat); echo end"
        let script = "trap 'echo caught; exit 7' INT; echo ready >&2; while :; do sleep 0.05; done"
        let outcome = try inTerminal(
            RunPlace.asOwner + ["sh", "-c", line, program], ["sh", "-c", script], place,
            typing: [("ready", "\u{3}")])
        #expect(outcome.output.contains("caught\r\nend"), "\(outcome)")
    }

    /// Another program of the app keeps it, and could go on writing to the person.
    @Test func aTerminalThatIsHandedOnEndsWithItsProgram() throws {
        let place = try RunPlace()
        let site =
            "import os, socket, time; os.chdir(os.environ['HOME'] + '/Documents'); "
            + "link = socket.socket(socket.AF_UNIX); "
        let keep = """
            link.bind('link'); link.listen(); open('kept', 'w').close()
            terminal = socket.recv_fds(link.accept()[0], 1, 1)[1][0]
            while os.path.exists('kept'): time.sleep(0.05)
            """
        let other = try start(
            ["run", "recipes", "--no-sync", "--", "python3", "-c", site + keep], in: place.work.device)
        #expect(eventually { place.document("kept") != nil })
        let hand = "link.connect('link'); socket.send_fds(link, [b'x'], [1]); print('handed on')"
        let limit = ["timeout", "--foreground", "-s", "KILL", "30"]
        let outcome = try inTerminal(
            RunPlace.asOwner + limit + [program], ["python3", "-c", site + hand], place)
        #expect(outcome.status == 0 && outcome.output.contains("handed on"), "\(outcome)")
        try place.end("kept", other)
    }

    /// Runs a command as the app in a terminal of 33 lines, from a shell.
    /// - Parameter typing: what is typed as soon as something was shown.
    /// - Returns: its output, with the names of the processes that the terminal belonged to.
    private func inTerminal(
        _ program: [String], _ command: [String], _ place: borrowing RunPlace,
        typing steps: [(shown: String, typed: String)] = []
    ) throws -> Outcome {
        let script = """
            import fcntl, glob, os, pty, struct, sys, termios
            names, shown, count = set(), b"", int(sys.argv[1])
            steps, words = sys.argv[2:2 + 2 * count], sys.argv[2 + 2 * count:]
            def read(fd):
                global shown
                fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 80, 0, 0))
                data = os.read(fd, 1024)
                shown += data
                if steps and steps[0].encode() in shown:
                    os.write(fd, steps[1].encode())
                    steps[:2], shown = [], b""
                number = struct.unpack("I", fcntl.ioctl(fd, 0x80045430, bytes(4)))[0]
                for path in glob.glob("/proc/[0-9]*/stat"):
                    try: name, rest = open(path).read().split("(", 1)[1].rsplit(")", 1)
                    except OSError: continue
                    if int(rest.split()[4]) == os.makedev(136, number): names.add(name)
                return data
            status = pty.spawn(["sh", "-c", '"$@"; exit $?', "sh"] + words, read)
            print("in it:", *sorted(names))
            sys.exit(os.waitstatus_to_exitcode(status))
            """
        let typed = [String(steps.count)] + steps.flatMap { [$0.shown, $0.typed] }
        let words = program + ["run", "recipes", "--"] + command
        return try apphome(
            ["-c", script] + typed + words, in: place.work.device, program: "/usr/bin/python3")
    }

    @Test func withoutATerminalAProgramHasASessionOfItsOwn() throws {
        let place = try RunPlace()
        let script = """
            import os
            print(os.getsid(0) > 0, os.getpgid(0) > 0)
            try: os.open("/dev/tty", os.O_RDWR)
            except OSError as error: print(error.errno)
            """
        // The tests may have one.
        let apart = ["-c", "exec \"$0\" \"$@\" < /dev/null", program, "run", "recipes", "--"]
        let outcome = try apphome(
            apart + ["python3", "-c", script], in: place.work.device, program: "/bin/sh")
        #expect(outcome.output == "True True\n\(ENXIO)\n", "\(outcome)")
    }
}
