internal import Glibc

/// Lines for people, or JSON for programs.
struct Report {
    let json: Bool

    /// One case's outcome.
    func outcome(_ name: String, _ text: String) {
        json ? object([("case", name), ("outcome", text)]) : print("\(name): \(text)")
    }

    /// A case that differs, or an exception that does not show what is written of it.
    func failure(_ name: String, _ verdict: Verdict) {
        guard case .failed(let why, let control, let mount) = verdict else { return }
        if json {
            object([("case", name), ("failed", why), ("control", control), ("mount", mount)])
        } else {
            print("FAILED \(name): \(why)\n  control: \(control)\n  mount:   \(mount)")
        }
    }

    /// A written exception that shows exactly what is written.
    func exception(_ name: String, _ kind: String, _ mount: String) {
        json
            ? object([("case", name), ("exception", kind), ("mount", mount)])
            : print("exception \(name) (\(kind)): \(mount)")
    }

    func hung(_ name: String, _ directory: String, _ seconds: Int32) {
        let line = "\(name): hung for \(seconds) s in \(directory); the run ends here"
        json ? object([("case", name), ("failed", line)]) : print(line)
    }

    /// A line on standard error.
    static func refusal(_ line: String) {
        let bytes = Array("posix-suite: error: \(line)\n".utf8)
        write(STDERR_FILENO, bytes, bytes.count)
    }

    /// The last line, plain in either form.
    func summary(passed: Int, failed: Int) {
        print("\(passed) passed, \(failed) failed")
    }

    private func object(_ fields: [(String, String)]) {
        print("{" + fields.map { "\(Self.quoted($0)):\(Self.quoted($1))" }.joined(separator: ",") + "}")
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case let control where control.value < 0x20:
                "\\u00" + Answer.hexadecimal(UInt8(truncatingIfNeeded: control.value))
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
