internal import Doctor
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// Writes what was found in every form that was asked for.
struct Reporter {
    let outputs: [RequestedForm]
    let settings: ProjectSettings
    /// nil: as the project says.
    let failOn: Severity?
    let known: Baseline?
    /// The file of a baseline that is to have what is found from now on.
    let written: String?
    let anchor: String?

    /// GitHub takes a summary of a mebibyte; some is left for others of the same step.
    private static let summaryBytes = 1_000_000

    /// To be called once, at the end of the work.
    /// - Returns: whether there is something that the command is to fail for, with
    ///   `ReportOptions.findingsStatus`.
    func report(_ apps: [AppFindings]) throws -> Bool {
        var known = known
        if let written {
            let baseline = Report.baseline(of: apps, settings, keeping: known)
            try OutputFile.write(baseline.text, to: written)
            printError("apphome: note: \(printable(written)) has \(counted(baseline.count, "finding")) now")
            known = baseline
        }
        let report = Report(apps, settings, baseline: known, failOn: failOn)
        for output in outputs { try write(report, output) }
        return report.fails
    }

    private func write(_ report: Report, _ output: RequestedForm) throws {
        let text =
            switch output.form {
            case .text: TextForm.lines(report).map { $0 + "\n" }.joined()
            case .json: try jsonText(JSONForm(report)).withoutLogCommands + "\n"
            case .github: gitHubText(report)
            case .sarif:
                try jsonText(SARIFForm(report, anchor: anchor, version: BuildIdentity.version))
                    .withoutLogCommands + "\n"
            case .junit: JUnitForm.text(report)
            }
        guard let file = output.file else { return print(text, terminator: "") }
        try OutputFile.write(text, to: file)
    }

    /// The annotations; what has none goes to the step's summary, or is counted.
    private func gitHubText(_ report: Report) -> String {
        let form = GitHubForm(report, anchor: anchor)
        var lines = form.lines
        if form.left > 0, !isInSummary(form) {
            lines.append("\(counted(form.left, "more finding")) without an annotation of GitHub's")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func isInSummary(_ form: GitHubForm) -> Bool {
        guard let path = environment("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return false }
        do throws(Errno) {
            return try OutputFile.append(to: path) { form.summary(roomBytes: Self.summaryBytes - $0) }
        } catch {
            printError("apphome: note: cannot write \(printable(path)): \(error)")
            return false
        }
    }
}

extension String {
    /// JSON that says the same and holds no `##[`, which GitHub's runner obeys in a log.
    fileprivate var withoutLogCommands: String { replacing("##", with: "#\\u0023") }
}
