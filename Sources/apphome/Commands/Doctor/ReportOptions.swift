internal import ArgumentParser
internal import Doctor
internal import Posix
internal import Wire

/// For commands that end with findings: what is printed and written, and what makes them fail.
///
/// `reporter` is to be called before the work, which may be long: it says what is wrong with the files that
/// are read. Then `Reporter.report` writes everything, and says whether to exit with `findingsStatus`.
struct ReportOptions: ParsableArguments {
    static let findingsStatus: Int32 = 3

    @Option(
        help: ArgumentHelp(
            "Exit 3 from here on: error, warning or note. Default: failOn of .apphome.json, else error.",
            valueName: "severity"))
    var failOn: Severity?
    @Option(
        name: .customLong("format"), parsing: .singleValue,
        help: ArgumentHelp(
            "Also write text, json, github, sarif or junit, more than once: =FILE into a file, github alone "
                + "before the text, and json, sarif or junit alone in place of the text.",
            valueName: "form[=file]"))
    var forms: [RequestedForm] = []
    @Flag(help: "Short for --format json: apphome json-schema describes it.") var json = false
    @Option(
        help: ArgumentHelp("Findings that this file has are known: they are counted, and fail nothing."),
        completion: .file())
    var baseline: String?
    @Flag(help: "Write what is found to the file of --baseline: all of it is known from now on.")
    var writeBaseline = false
    @Option(
        help: ArgumentHelp(
            "A file of the repository that sarif and github put findings to. Default: .apphome.json here.",
            valueName: "file"),
        completion: .file())
    var anchor: String?

    func validate() throws {
        _ = try outputs()
        if writeBaseline, baseline == nil {
            throw ValidationError("--write-baseline needs the file that is to be written: --baseline FILE")
        }
    }

    /// Reads `.apphome.json` and the baseline, with the rights that the process has now.
    /// - Throws: what is wrong with them, with status 64.
    func reporter() throws -> Reporter {
        let project = try Project.current()
        var known: Baseline?
        if let baseline {
            known = try InputFile.read(
                baseline, Baseline.sizeLimit, isOptional: writeBaseline, Baseline.init(reading:))
            if known == nil, !writeBaseline {
                throw CommandFailure("\(baseline) is not there: --write-baseline makes it", exitStatus: 64)
            }
        }
        return Reporter(
            outputs: try outputs(), settings: project.settings, failOn: failOn, known: known,
            written: writeBaseline ? baseline : nil,
            anchor: anchor.map(project.pathInRepository) ?? project.anchor)
    }

    /// Where each form goes; what is to be on standard output is among them.
    private func outputs() throws -> [RequestedForm] {
        let asked = forms + (json ? [RequestedForm(form: .json, file: nil)] : [])
        let shown = asked.filter { $0.file == nil }
        if let alone = shown.first(where: \.form.standsAlone), shown.count > 1 {
            throw ValidationError(
                "only one form can be on standard output beside json, sarif or junit: write it to a file, "
                    + "--format \(alone.form.rawValue)=FILE")
        }
        let files = asked.compactMap(\.file)
        if let twice = files.first(where: { file in files.count { $0 == file } > 1 }) {
            throw ValidationError("two forms cannot both be written to \(twice)")
        }
        let needsText = !shown.contains { $0.form.standsAlone || $0.form == .text }
        return asked + (needsText ? [RequestedForm(form: .text, file: nil)] : [])
    }
}

/// A form of a report, and where it goes.
struct RequestedForm: ExpressibleByArgument, Equatable {
    enum Form: String, CaseIterable {
        case text, json, github, sarif, junit

        /// Whether nothing else may be on standard output beside it: a program reads that.
        var standsAlone: Bool { self != .text && self != .github }
    }

    let form: Form
    /// nil: standard output.
    let file: String?

    init(form: Form, file: String?) {
        self.form = form
        self.file = file
    }

    init?(argument: String) {
        let parts = argument.parts(between: "=", keepingEmpty: true)
        guard let form = parts.first.flatMap(Form.init), parts.count == 1 || parts[1...] != [""] else {
            return nil
        }
        self.init(form: form, file: parts.count == 1 ? nil : parts[1...].joined(separator: "="))
    }

    static let allValueStrings = Form.allCases.map(\.rawValue)
}
