internal import Posix

/// SARIF 2.1.0, as GitHub's code scanning and others read it.
public struct SARIFForm: Encodable {
    /// GitHub refuses a run with more than 25,000.
    static let mostResults = 20_000

    let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    /// - Parameters:
    ///   - anchor: a file of the repository, as a path from its top, that all results are put to: the paths
    ///     of a home are none of the repository. nil: results have a logical place alone, which GitHub
    ///     refuses.
    ///   - version: AppHome's.
    public init(_ report: Report, anchor: String?, version: String) {
        let codes = FindingCode.allCases
        let indices = Dictionary(uniqueKeysWithValues: zip(codes, 0...))
        var results: [Result] = []
        for app in report.apps {
            var seen: [FindingIdentity: Int] = [:]
            for (list, state) in [(app.found, "new"), (app.known, "unchanged")] {
                for finding in list.findings {
                    let identity = FindingIdentity(finding, in: app.bundleID)
                    seen[identity, default: 0] += 1
                    results.append(
                        Result(
                            finding, app, index: indices[finding.code] ?? 0, anchor: anchor,
                            fingerprint: "\(identity.fingerprint):\(seen[identity] ?? 1)",
                            state: report.hasBaseline ? state : nil))
                }
            }
        }
        results.sort { $0.rank > $1.rank }
        let omitted =
            report.apps.reduce(0) { $0 + $1.found.omitted + $1.known.omitted }
            + max(0, results.count - Self.mostResults)
        runs = [
            Run(
                tool: Tool(driver: Driver(version: version, rules: codes.map(Rule.init))),
                invocations: [Invocation(omitted: omitted)], results: Array(results.prefix(Self.mostResults)))
        ]
    }

    struct Run: Encodable {
        let tool: Tool
        let invocations: [Invocation]
        let results: [Result]
    }

    struct Tool: Encodable { let driver: Driver }

    struct Driver: Encodable {
        let name = "AppHome"
        let version: String
        let rules: [Rule]
    }

    struct Text: Encodable {
        let text: String

        /// SARIF reads braces as the place of an argument, and `[a](b)` as a link.
        init(_ text: String) {
            var text = text.printableLine.replacing("{", with: "{{").replacing("}", with: "}}")
            if text.unicodeScalars.contains("["), text.contains("](") {
                text = text.replacing("[", with: "\\[").replacing("]", with: "\\]")
            }
            self.text = text
        }
    }

    struct Rule: Encodable {
        let id: String
        let shortDescription: Text
        let fullDescription: Text
        let help: Text
        let helpUri: String
        let defaultConfiguration: Configuration

        struct Configuration: Encodable { let level: String }

        init(_ code: FindingCode) {
            let page = code.page
            id = code.rawValue
            shortDescription = Text(page.title)
            fullDescription = Text(page.why)
            help = Text("\(page.device) \(page.why) \(page.fix) (\(page.source))")
            helpUri = code.helpLink
            defaultConfiguration = Configuration(level: page.severity.rawValue)
        }
    }

    struct Invocation: Encodable {
        let executionSuccessful = true
        let toolExecutionNotifications: [Notification]?

        struct Notification: Encodable {
            let level = "warning"
            let message: Text
        }

        init(omitted: Int) {
            let message = Text("\(counted(omitted, "finding")) counted, and not listed")
            toolExecutionNotifications = omitted > 0 ? [Notification(message: message)] : nil
        }
    }
}

extension SARIFForm {
    struct Result: Encodable {
        let ruleId: String
        let ruleIndex: Int
        /// SARIF has the same three words.
        let level: String
        let message: Text
        let locations: [Location]
        let partialFingerprints: [String: String]
        let baselineState: String?

        enum CodingKeys: String, CodingKey {
            case ruleId, ruleIndex, level, message, locations, partialFingerprints, baselineState
        }

        /// New errors first.
        let rank: Int

        init(
            _ finding: Finding, _ app: Report.App, index: Int, anchor: String?, fingerprint: String,
            state: String?
        ) {
            ruleId = finding.code.rawValue
            ruleIndex = index
            level = finding.severity.rawValue
            message = Text("\(finding.path): \(finding.detail). \(finding.fix)")
            locations = [Location(finding, app, anchor)]
            partialFingerprints = [FindingIdentity.fingerprintName: fingerprint]
            baselineState = state
            let severity = Severity.allCases.firstIndex(of: finding.severity) ?? 0
            rank = (state == "unchanged" ? 0 : Severity.allCases.count) + severity
        }
    }

    struct Location: Encodable {
        let physicalLocation: Physical?
        let logicalLocations: [Logical]

        struct Physical: Encodable {
            let artifactLocation: Artifact
            let region = Region()

            struct Artifact: Encodable { let uri: String }
            /// GitHub demands a line.
            struct Region: Encodable { let startLine = 1 }
        }

        struct Logical: Encodable {
            let name: String
            let fullyQualifiedName: String
            let kind = "resource"
        }

        init(_ finding: Finding, _ app: Report.App, _ anchor: String?) {
            physicalLocation = anchor.map { .init(artifactLocation: .init(uri: $0.percentEncodedPath)) }
            let path = finding.path.printableLine
            logicalLocations = [
                Logical(
                    name: path.directoryAndName.name,
                    fullyQualifiedName: "\(app.bundleID.printableLine)/\(path)")
            ]
        }
    }
}

extension String {
    /// As a reference of a URI; an absolute path is a file's.
    fileprivate var percentEncodedPath: String {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        let encoded = utf8.reduce(into: "") { text, byte in
            if kept.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + Hex.text([byte]).uppercased()
            }
        }
        return isAbsolutePath ? "file://" + encoded : encoded
    }
}
