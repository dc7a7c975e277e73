internal import Glibc
internal import SandboxRules

/// The variables of a program that runs as an app (SPEC 13): a list of what passes, what the app is told, and
/// what the person adds.
struct ProgramEnvironment {
    private var values: [String: String]

    init(_ app: AppEnvironment, tools: String, added: [AddedVariable]) {
        values = Self.own.filter { AppEnvironment.passes($0.key) }
        for (name, value) in app.variables + AppEnvironment.toolVariables(at: tools) { values[name] = value }
        for variable in added {
            if let value = variable.value ?? Self.own[variable.name] { values[variable.name] = value }
        }
    }

    /// Names and values, sorted by name.
    var variables: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// This command's own.
    private static var own: [String: String] {
        var own: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { own[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return own
    }
}

/// What `--env` names: NAME, with this command's value where it has one, or NAME=VALUE.
struct AddedVariable: Equatable {
    let name: String
    let value: String?

    /// - Returns: nil where there is no name.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let name = parts.first, !name.isEmpty else { return nil }
        self.name = name
        value = parts.count > 1 ? parts[1] : nil
    }
}
