internal import Doctor

/// Writes what was found in every form that was asked for.
struct Reporter {
    let outputs: [RequestedForm]
    let failOn: Severity

    /// To be called once, at the end of the work.
    /// - Returns: whether there is something that the command is to fail for, with
    ///   `ReportOptions.findingsStatus`.
    func report(_ apps: [AppFindings]) throws -> Bool {
        for output in outputs {
            let writer: any FindingWriter =
                switch output.form {
                case .text: TextFindingWriter()
                case .json: JSONFindingWriter()
                }
            try writer.write(apps)
        }
        return apps.contains { $0.found.count(atLeast: failOn) > 0 }
    }
}
