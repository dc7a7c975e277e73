import CLinux
import Foundation
import TestKit
import Testing

/// What a program that runs as an app cannot do: with root's rights, to the kernel, to the terminal, to
/// another app's tools, and what it is not told.
@Suite(.serialized) struct SandboxTests {
    @Test func aProgramIsTheDevicesOwnerWhoeverRunsIt() throws {
        let place = try RunPlace()
        let script = "id -u; grep -h '^[UG]id' /proc/self/status; cat /etc/shadow; echo shadow $?"
        let outcome = try place.work.run("run", "recipes", "--", "sh", "-c", script)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let id = "\(RunPlace.ownerID)"
        #expect(lines.first == id && lines.last == "shadow 1", "\(outcome)")
        #expect(lines.contains("Uid:\t" + [id, id, id, id].joined(separator: "\t")), "\(outcome)")
        #expect(!outcome.output.contains("\t0"), "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0)) func rootsOwnDeviceIsRefusedAndSoIsAnotherUsersWithoutASandbox()
        throws
    {
        let roots = try Workplace()
        #expect(try roots.run("new", "Recipes").status == 0)
        let own = try roots.run("run", "recipes", "--", "id")
        #expect(own.status == 125 && own.output == "", "\(own)")
        #expect(own.errors.contains("--unconfined") && own.errors.contains("apphome device create"))
        #expect(own.errors.filter(\.isNewline).count == 1)
        let users = try RunPlace()
        let refused = try users.work.run("run", "recipes", "--unconfined", "--", "id")
        #expect(refused.status == 125 && refused.output == "", "\(refused)")
        #expect(refused.errors.contains("become user \(RunPlace.ownerID)"))
    }

    @Test func theKernelsSettingsCannotBeWrittenAndItsKeysCannotBeRead() throws {
        let place = try RunPlace()
        let script = """
            import os
            for name in ["sys/kernel/core_pattern", "sysrq-trigger"]:
                try: os.close(os.open("/proc/" + name, os.O_WRONLY)); print(name, "written")
                except OSError: pass
            for name in ["kcore", "keys", "key-users", "kmsg", "timer_list"]:
                try: print(name, len(open("/proc/" + name).read(1)))
                except OSError: pass
            for folder in ["/proc/irq", "/proc/fs", "/proc/bus"]:
                print(os.listdir(folder) if os.path.exists(folder) else [])
            print(os.path.exists("/sys"), len(open("/proc/sys/kernel/ostype").read()))
            mounts = [line.split() for line in open("/proc/self/mountinfo")]
            print([mount[5].split(",")[0] for mount in mounts if mount[4] == "/proc/sys"])
            hidden, covered = ["/proc/sysrq-trigger", "/proc/kcore"], [mount[4] for mount in mounts]
            print([path for path in hidden if os.path.exists(path) and path not in covered])
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        #expect(outcome.output == "[]\n[]\n[]\nFalse 6\n['ro']\n[]\n", "\(outcome)")
    }

    @Test func theSandboxsFirstProcessIsOutOfReach() throws {
        let place = try RunPlace()
        let script = """
            import ctypes, errno, os
            libc = ctypes.CDLL(None, use_errno=True)
            def told(*call):
                answer = libc.syscall(*[ctypes.c_long(word) for word in call])
                return errno.errorcode[ctypes.get_errno()] if answer < 0 else "done"
            ptrace, peek, handle, limit = (101, 310, 434, 302) if os.uname().machine == "x86_64" else \\
                (117, 270, 434, 261)
            print(told(ptrace, 16, 1), told(peek, 1, 0, 0, 0, 0, 0), told(handle, 1, 0))
            print(told(limit, 1, 7, 0, 0))
            print(os.path.exists("/proc/1/mem"), told(handle, os.getpid(), 0))
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        #expect(outcome.output == "EPERM EPERM EPERM\nEPERM\nFalse done\n", "\(outcome)")
    }

    @Test func streamsThatAreClosedBecomeNothingElse() throws {
        let place = try RunPlace()
        let script = """
            '\(program)' run recipes -- python3 -c '
            import os
            with open(os.environ["HOME"] + "/Documents/streams", "w") as file:
                for number in range(3): print(os.readlink(f"/proc/self/fd/{number}"), file=file)
            ' <&- >&- 2>&-
            """
        let outcome = try apphome(["-c", script], in: place.work.device, program: "/bin/sh")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(place.document("streams") == String(repeating: "/dev/null\n", count: 3))
    }

    @Test func aFolderForToolsShowsNoOtherAppOfTheDevice() throws {
        let place = try RunPlace()
        for folder in [place.work.device, place.work.path] {
            let refused = try place.work.run("run", "recipes", "--tool-home", folder, "--", "true")
            #expect(refused.status == 125 && refused.errors.contains("another folder"), "\(refused)")
        }
    }

    @Test func anAppThatClosesItsFolderForToolsFindsItOpenAgain() throws {
        let place = try RunPlace()
        let closing = "echo kept > /tool-home/file; chmod 0 /tool-home"
        #expect(try place.work.run("run", "recipes", "--", "sh", "-c", closing).status == 0)
        let outcome = try place.work.run("run", "recipes", "--", "cat", "/tool-home/file")
        #expect(outcome.output == "kept\n", "\(outcome)")
    }

    @Test(.enabled(if: geteuid() == 0)) func whatIsMountedOutsideLaterIsNotSeen() throws {
        let place = try RunPlace()
        let folder = place.work.path + "/tools"
        try FileManager.default.createDirectory(
            atPath: folder + "/later", withIntermediateDirectories: true)
        try #require(mount(folder, folder, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        try #require(mount(nil, folder, nil, UInt(MS_SHARED), nil) == 0)
        let script = """
            touch ~/Documents/up; while [ -e ~/Documents/up ]; do sleep 0.05; done
            ls /tool-home/later
            """
        let arguments = ["run", "recipes", "--tool-home", folder, "--", "sh", "-c", script]
        let running = try start(arguments, in: place.work.device)
        #expect(eventually { place.document("up") != nil })
        try #require(mount("tmpfs", folder + "/later", "tmpfs", 0, nil) == 0)
        try "outside".write(toFile: folder + "/later/file", atomically: false, encoding: .utf8)
        #expect(try place.work.run("run", "recipes", "--cwd", "home", "--", "rm", "Documents/up").status == 0)
        let outcome = try running.wait()
        #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
    }

    @Test func whatAProgramKeepsInMemoryIsBounded() throws {
        let place = try RunPlace()
        let script = """
            df --block-size=1 --output=size /tmp /dev/shm | tail -n 2; readlink -f /var/tmp; touch /dev/x
            """
        let outcome = try place.work.run("run", "recipes", "--", "sh", "-c", script)
        let lines = outcome.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.count == 3 && lines.last == "/tmp", "\(outcome)")
        let memory = UInt64(sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        for line in lines.prefix(2) { #expect(UInt64(line) ?? .max <= memory / 4, "\(outcome)") }
        #expect(outcome.errors.contains("/dev/x': Read-only file system"), "\(outcome)")
    }

    @Test func bubblewrapStandsNowhereAndNothingOfItIsLeftAtTheEnd() throws {
        let place = try RunPlace()
        let script = """
            cd '\(place.work.path)'
            exec '\(program)' run recipes -- sh -c '
            for i in $(seq 300); do setsid sleep 1234.5 < /dev/null > /dev/null 2>&1 & done
            touch ~/Documents/up; while [ -e ~/Documents/up ]; do sleep 0.05; done'
            """
        let running = try start(["-c", script], in: place.work.device, program: "/bin/sh")
        #expect(eventually { place.document("up") != nil })
        let bubblewraps = processes { $0.split(separator: "\0").contains("--json-status-fd") }
        let folders = bubblewraps.filter { text("/proc/\($0)/cmdline")?.contains("1234.5") == true }.map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")
        }
        // The one outside, and the sandbox's first process.
        #expect(folders.count == 2 && folders.contains("/"), "\(folders)")
        #expect(try place.work.run("run", "recipes", "--cwd", "home", "--", "rm", "Documents/up").status == 0)
        #expect(try running.wait().status == 0)
        #expect(processes { $0 == "sleep\01234.5\0" } == [])
    }

    /// The processes of this machine, by their command lines.
    private func processes(_ isWanted: (String) -> Bool) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { isWanted(text("/proc/\($0)/cmdline") ?? "") }
    }

    @Test func theKeyringsAreClosedAndCallsOfAnotherArchitectureTooWhereTheyBegin() throws {
        let place = try RunPlace()
        let script = """
            import ctypes, errno, mmap, platform, sys
            libc = ctypes.CDLL(None, use_errno=True)
            is_intel = platform.machine() == "x86_64"
            for number in [248, 249, 250] if is_intel else [217, 218, 219]:
                answer = libc.syscall(number, 0, 0, 0, 0, 0)
                print(errno.errorcode[ctypes.get_errno()] if answer < 0 else answer)
            if not is_intel: sys.exit(159)
            # getpid of x32, and then of i386.
            answer = libc.syscall(0x40000000 + 39)
            assert answer < 0 and ctypes.get_errno() in [errno.EPERM, errno.ENOSYS], answer
            sys.stdout.flush()
            code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
            code.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
            address = ctypes.addressof(ctypes.c_char.from_buffer(code))
            ctypes.CFUNCTYPE(ctypes.c_int)(address)()
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        #expect(outcome.output == "EPERM\nEPERM\nEPERM\n", "\(outcome)")
        // SIGSYS.
        #expect(outcome.status == 159, "\(outcome)")
    }

    @Test func noUserNamespaceIsMadeInWhichAProgramIsRootAndThreadsAndChildrenGoOn() throws {
        let place = try RunPlace()
        let script = """
            import ctypes, errno, os, subprocess, threading
            libc = ctypes.CDLL(None, use_errno=True)
            print(libc.unshare(0x10000000), errno.errorcode[ctypes.get_errno()])
            is_intel = os.uname().machine == "x86_64"
            # clone(CLONE_NEWUSER | SIGCHLD), with bits above that the kernel does not look at; clone3.
            flags = ctypes.c_ulong(0x710000011)
            child = libc.syscall(56 if is_intel else 220, flags, 0, 0, 0, 0)
            if child == 0: os._exit(0)
            print(child, errno.errorcode[ctypes.get_errno()])
            print(libc.syscall(435, 0, 0), errno.errorcode[ctypes.get_errno()])
            thread = threading.Thread(target=lambda: print(subprocess.run(["echo"]).returncode))
            thread.start(); thread.join()
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-uc", script)
        #expect(outcome.output == "-1 EPERM\n-1 EPERM\n-1 ENOSYS\n\n0\n", "\(outcome)")
    }

    @Test func withoutTheNetworkAVirtualMachinesHostIsOutOfReachToo() throws {
        let place = try RunPlace()
        let script = """
            import ctypes, errno, os, socket
            libc = ctypes.CDLL(None, use_errno=True)
            call = 41 if os.uname().machine == "x86_64" else 198
            for family in [socket.AF_VSOCK, socket.AF_VSOCK | 1 << 32, socket.AF_INET]:
                answer = libc.syscall(call, ctypes.c_ulong(family), 1, 0)
                print("open" if answer >= 0 else errno.errorcode[ctypes.get_errno()])
            # A ring makes sockets, and no filter sees it.
            print(libc.syscall(425, 1, bytes(120)), errno.errorcode[ctypes.get_errno()])
            """
        let outcome = try place.work.run("run", "recipes", "--", "python3", "-c", script)
        #expect(outcome.output == "EAFNOSUPPORT\nEAFNOSUPPORT\nopen\n-1 ENOSYS\n", "\(outcome)")
    }

    /// What a program finds in its environment, and what it can see of the sandbox's first process.
    private func environment(_ own: [String], added: [String] = []) throws -> Outcome {
        let place = try RunPlace()
        let command = [
            "--", "sh", "-c", "env; ! cat /proc/1/environ /proc/1/cmdline",
        ]
        return try apphome(
            own + [program, "run", "recipes"] + added + command, in: place.work.device,
            program: "/usr/bin/env")
    }

    @Test func secretsStayOutsideAndTheTerminalAndTheLocalePass() throws {
        let secrets = ["GITHUB_TOKEN=s3cret", "OPENAI_API_KEY=s3cret", "LD_BIND_NOW=s3cret", "ANY=s3cret"]
        let passing = ["LC_ALL=C.UTF-8", "LANG=C", "TZ=UTC", "TERM=dumb", "PATH=/bin:/usr/bin"]
        let outcome = try environment(secrets + passing)
        #expect(outcome.status == 0 && !outcome.output.contains("s3cret"), "\(outcome)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        // AppHome's own program comes last.
        for line in passing.dropLast() + ["PATH=/bin:/usr/bin:/run/apphome"] {
            #expect(lines.contains(line), "\(line): \(outcome)")
        }
        #expect(lines.contains { $0.hasPrefix("HOME=/private/var/mobile/") })
    }

    @Test func aPersonAddsVariablesThatNoCommandLineShows() throws {
        let added = ["CI", "NAME=a=b", "GONE", "EMPTY=", "APPHOME_BUNDLE=mine"].flatMap { ["--env", $0] }
        let outcome = try environment(["CI=true"], added: added)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        for line in ["CI=true", "NAME=a=b", "EMPTY=", "APPHOME_BUNDLE=mine"] {
            #expect(lines.contains(line), "\(line): \(outcome)")
        }
        #expect(!outcome.output.contains("GONE"))
        #expect(outcome.output.components(separatedBy: "NAME=a=b").count == 2, "\(outcome)")
        let odd = try environment([], added: ["--env", "=x"])
        #expect(odd.status == 64 && odd.errors.contains("NAME=VALUE"), "\(odd)")
    }

    @Test func withoutASandboxSecretsStayOutsideToo() throws {
        let place = try RunPlace(ofCaller: true)
        func environment(_ added: String...) throws -> Outcome {
            let own = ["GITHUB_TOKEN=s3cret", "SSH_AUTH_SOCK=s3cret", "ANY=s3cret", "CI=true", "LANG=C"]
            let options = added.flatMap { ["--env", $0] } + ["--", "env"]
            return try apphome(
                own + [program, "run", "recipes", "--unconfined"] + options, in: place.work.device,
                program: "/usr/bin/env")
        }
        let outcome = try environment("CI", "NAME=a=b")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(outcome.status == 0 && !outcome.output.contains("s3cret"), "\(outcome)")
        for line in ["CI=true", "NAME=a=b", "LANG=C"] { #expect(lines.contains(line), "\(line): \(outcome)") }
        let told = try environment("GITHUB_TOKEN")
        #expect(told.output.components(separatedBy: "s3cret").count == 2, "\(told)")
        #expect(told.output.contains("GITHUB_TOKEN=s3cret\n"), "\(told)")
    }

    @Test func helpSaysWhatTheNetworkOpens() throws {
        let help = try apphome("run", "--help", in: "/nonexistent")
        let words = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("With --network it shares this machine's network"), "\(words)")
        #expect(words.contains("what listens here for local programs only"), "\(words)")
        #expect(words.contains("sockets that have no file, where the display (X11) or D-Bus"), "\(words)")
    }

    @Test func aCommandIsTakenAsItStands() throws {
        let place = try RunPlace(content: ["a=b": Data("#!/bin/sh\nprintf '%s ' \"$@\"\n".utf8)])
        for words in [
            ["X=1", "true"], ["-S", "echo taken"], ["-", "true"], ["--", "true"], ["-i", "true"],
        ] {
            let outcome = try apphome(["run", "recipes", "--"] + words, in: place.work.device)
            #expect(outcome.status == 127 && outcome.output == "", "\(words) \(outcome)")
        }
        let outcome = try place.work.run("run", "recipes", "--", "./a=b", "-n", "--", "c=d")
        #expect(outcome.output == "-n -- c=d ", "\(outcome)")
    }

    @Test func everyAppHasAToolHomeOfItsOwnThatGoesWithIt() throws {
        let place = try RunPlace()
        let planted = "ls -a /tool-home | wc -l; echo x > /tool-home/x; ln -s / /tool-home/npm"
        #expect(try place.work.run("run", "recipes", "--", "sh", "-c", planted).output == "2\n")
        #expect(try place.work.run("run", "Other", "--", "sh", "-c", planted).output == "2\n")
        #expect(try place.work.run("run", "recipes", "--", "cat", "/tool-home/x").output == "x\n")
        let folder = place.work.device + "/ToolHomes"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        let gone = try place.work.run("uninstall", "recipes", "--yes")
        #expect(gone.status == 0 && gone.errors == "", "\(gone)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["local.Other"])
    }

    @Test func noLinkInTheDeviceLeadsToolsElsewhere() throws {
        let place = try RunPlace()
        let elsewhere = place.work.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        #expect(chmod(elsewhere, 0o777) == 0)
        for link in ["ToolHome", "ToolHomes"] {
            let path = place.work.device + "/" + link
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        }
        let refused = try place.work.run("run", "recipes", "--", "touch", "/tool-home/planted")
        #expect(refused.status == 125 && refused.errors.contains("tools of local.Recipes"), "\(refused)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == [])
        #expect(mounts(below: place.work.path) == [])
        let chosen = try place.work.run(
            "run", "recipes", "--tool-home", elsewhere, "--", "touch", "/tool-home/planted")
        #expect(chosen.status == 0, "\(chosen)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == ["planted"])
    }

    @Test(arguments: ["run/environment", "run/environment/local.Recipes"])
    func noLinkInTheDeviceLeadsEnvElsewhere(_ link: String) throws {
        let place = try RunPlace()
        let elsewhere = place.work.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        #expect(chmod(elsewhere, 0o777) == 0)
        try place.mount(place.work.path + "/home")
        let path = place.work.device + "/" + link
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(chown(folder, RunPlace.ownerID, RunPlace.ownerID) == 0)
        #expect(symlink(elsewhere, path) == 0)
        let outcome = try place.work.run("env", "recipes", "--for", "flutter")
        #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == [])
    }

    @Test(.enabled(if: geteuid() == 0)) func whatEnvWritesForRootIsTheOwners() throws {
        let place = try RunPlace()
        try place.mount(place.work.path + "/home")
        for kind in ["flutter", "dotnet"] {
            let outcome = try place.work.run("env", "recipes", "--for", kind)
            #expect(outcome.status == 0, "\(outcome)")
        }
        let written = "/run/environment/local.Recipes/user-dirs.dirs"
        for path in [place.work.device + written, place.container + "/Documents/.config"] {
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_uid == RunPlace.ownerID, "\(path)")
        }
    }
}
