internal import CLinux
internal import CSuite
internal import Glibc

/// The commands.
struct Suite {
    let options: Options
    let report: Report
    private let expectations: [String: Exception.Expectation]
    private let hang: Supervisor.Hang

    init(_ options: Options, hang: Supervisor.Hang) {
        self.options = options
        self.hang = hang
        report = Report(json: options.json)
        expectations =
            options.plain ? [:] : Exception.expectations(options.names, options.view)
    }

    /// - Returns: the exit status: 0, or 1 where a case failed or could not run.
    func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        if let refusal = takeIdentity() { return refuse(refusal) }
        return switch options.command {
        case .run(let directory): run(in: directory)
        case .compare(let control, let mount): compare(control, mount)
        case .list: list()
        case .exceptions: exceptions()
        }
    }

    /// Cases that this user can run: those with other users' identities are root's alone.
    private var cases: [Case] {
        Catalogue.all.filter { options.selects($0.name) && (geteuid() == 0 || !$0.needsRoot) }
    }

    private func takeIdentity() -> String? {
        switch options.identity {
        case .asIs: return nil
        case .root: return geteuid() == 0 ? nil : "--as-root: this is uid \(geteuid()); run it as root"
        case .user:
            guard geteuid() == 0 else { return nil }
            let result = lx_process_become(1000, 1000)
            return result < 0 ? "cannot become uid 1000: \(Answer.negated(result))" : nil
        }
    }

    private func refuse(_ line: String) -> Int32 {
        Report.refusal(line)
        return 1
    }

    private func runner(_ directory: String) -> Runner? {
        Runner(directory: directory, isWhole: options.isWhole, deadlineSeconds: options.deadlineSeconds)
    }

    private func run(in directory: String) -> Int32 {
        guard let runner = runner(directory) else {
            return refuse("\(directory): \(Answer.name(errno)); give a directory that can be written")
        }
        for testCase in cases {
            guard case .text(let text) = runner.outcome(of: testCase) else { hung(testCase, directory) }
            report.outcome(testCase.name, text)
        }
        return 0
    }

    private func compare(_ control: String, _ mount: String) -> Int32 {
        guard let plain = runner(control) else {
            return refuse("\(control): \(Answer.name(errno)); give a directory that can be written")
        }
        guard let mounted = runner(mount) else {
            return refuse("\(mount): \(Answer.name(errno)); give a directory that can be written")
        }
        var (passed, failed) = (0, 0)
        for testCase in cases {
            guard case .text(let expected) = plain.outcome(of: testCase) else { hung(testCase, control) }
            guard case .text(let shown) = mounted.outcome(of: testCase) else { hung(testCase, mount) }
            let verdict = Verdict(control: expected, mount: shown, expectations[testCase.name])
            switch verdict {
            case .same: passed += 1
            case .exception(let kind):
                passed += 1
                report.exception(testCase.name, kind, shown)
            case .failed:
                failed += 1
                report.failure(testCase.name, verdict)
            }
        }
        report.summary(passed: passed, failed: failed)
        return failed == 0 && passed > 0 ? 0 : 1
    }

    /// Ends the run: the case's thread cannot be ended alone.
    private func hung(_ testCase: Case, _ directory: String) -> Never {
        report.hung(testCase.name, directory, options.deadlineSeconds)
        fflush(nil)
        hang.tell()
    }

    private func list() -> Int32 {
        for testCase in cases { print(testCase.name) }
        return 0
    }

    private func exceptions() -> Int32 {
        for exception in Exception.written(options.names, options.view) {
            print("\(exception.kind): \(exception.reason)")
            for expectation in exception.expectations {
                print("  \(expectation.name)")
                for pair in expectation.pairs {
                    print("    plain: \(pair.plain)")
                    for mount in pair.mount { print("    mount: \(mount)") }
                }
            }
        }
        return 0
    }
}
