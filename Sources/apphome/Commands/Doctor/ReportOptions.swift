internal import ArgumentParser
internal import Doctor
internal import Wire

/// For commands that end with findings: what is printed and written, and what makes them fail.
///
/// `reporter` is to be called before the work, which may be long: it says what is wrong with the files that
/// are read. Then `Reporter.report` writes everything, and says whether to exit with `findingsStatus`.
struct ReportOptions: ParsableArguments {
    static let findingsStatus: Int32 = 3

    @Option(
        help: ArgumentHelp("Exit 3 from here on: error, warning or note (error).", valueName: "severity"))
    var failOn: Severity?
    @Option(
        name: .customLong("format"), parsing: .singleValue,
        help: ArgumentHelp(
            "Also write this form: text, json, github, sarif or junit. Text is on standard output anyway; "
                + "json, sarif or junit without =FILE take its place. More than once.",
            valueName: "form[=file]"))
    var forms: [RequestedForm] = []
    @Flag(help: "Short for --format json: apphome json-schema describes it.") var json = false

    func validate() throws { _ = try outputs() }

    func reporter() throws -> Reporter {
        Reporter(outputs: try outputs(), failOn: failOn ?? .error)
    }

    /// Where each form goes; what is to be on standard output is among them.
    private func outputs() throws -> [RequestedForm] {
        let asked = forms + (json ? [RequestedForm(form: .json, file: nil)] : [])
        let shown = asked.filter { $0.file == nil }
        if shown.contains(where: \.form.standsAlone), shown.count > 1 {
            throw ValidationError(
                "\(shown.map(\.form.rawValue).joined(separator: " and ")) cannot both be on standard "
                    + "output: write one to a file (--format \(shown[0].form.rawValue)=FILE)")
        }
        let needsText = !shown.contains { $0.form.standsAlone || $0.form == .text }
        return (needsText ? [RequestedForm(form: .text, file: nil)] : []) + asked
    }
}

/// A form of a report, and where it goes.
struct RequestedForm: ExpressibleByArgument, Equatable {
    enum Form: String, CaseIterable {
        case text, json

        /// Whether nothing else may be on standard output beside it: a program reads that.
        var standsAlone: Bool { self == .json }
    }

    let form: Form
    /// nil: standard output.
    let file: String?

    init(form: Form, file: String?) {
        self.form = form
        self.file = file
    }

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let form = parts.first.flatMap({ Form(rawValue: String($0)) }), parts.last?.isEmpty == false
        else { return nil }
        self.init(form: form, file: parts.count == 2 ? String(parts[1]) : nil)
    }

    static let allValueStrings = Form.allCases.map(\.rawValue)
}
