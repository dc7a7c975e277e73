internal import Doctor
internal import Posix
internal import Wire

/// What the daemon remembers of what an app's programs did, as findings.
struct RememberedEvents {
    private let remembered: [RememberedFinding]
    private let forgotten: UInt64
    private let unexamined: UInt64

    /// - Parameters: as `RememberedFindings` has them.
    init(_ remembered: [RememberedFinding], forgotten: UInt64, unexamined: UInt64) {
        self.remembered = remembered
        self.forgotten = forgotten
        self.unexamined = unexamined
    }

    /// Asks for all of it.
    /// - Parameter app: with its groups.
    init(of app: String, from client: DaemonClient) throws {
        var page = try client.ask(.findings(of: app))
        var all = page.findings
        while let next = page.next {
            page = try client.ask(.findings(of: app, after: next))
            all += page.findings
        }
        self.init(all, forgotten: page.forgotten, unexamined: page.unexamined)
    }

    /// Adds them to what was found on the disk, in the order in which they happened first.
    /// - Parameter app: its identifier: what is not its own is a group's.
    func add(to found: inout FindingList, app: String) {
        for event in remembered.sorted(by: { $0.first < $1.first }) {
            guard let code = Self.code(event), !Self.isAside(event) else { continue }
            let group = event.app == app ? nil : event.app
            let path = [group, event.path].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "/")
            found.add(
                Finding(code, path.isEmpty ? "." : path, Self.detail(event), program: event.program))
        }
        if unexamined > 0 {
            let events = counted(Int(clamping: unexamined), "event")
            found.add(.unexamined, ".", "\(events) of all apps came faster than they could be looked at")
        }
        if forgotten > 0 {
            let findings = counted(Int(clamping: forgotten), "finding")
            found.add(.unexamined, ".", "\(findings) of all apps made room for later ones")
        }
    }

    private static func code(_ event: RememberedFinding) -> FindingCode? {
        switch event.code {
        case "case-near-miss": .caseNearMiss
        case "case-saved": .caseSaved
        case "skip-backup-lost": .flagLost
        case "refused": .refused
        case "group-refused": .groupRefused
        case "outside-home": .outsideHome
        case "unexamined": .unexamined
        default: nil
        }
    }

    private static func detail(_ event: RememberedFinding) -> String {
        let who = event.program ?? "a program that is not known"
        let when =
            event.count == 1
            ? event.last.text
            : "\(counted(Int(clamping: event.count), "time")), \(event.first.text) to \(event.last.text)"
        return "\(event.detail ?? event.code) (\(who), \(when))"
    }

    // MARK: - What no app means

    /// Files that tools which run as the app keep for themselves, and do without where they are refused.
    private static let asideFiles = [
        ".ash_history", ".bash_history", ".lesshst", ".node_repl_history", ".python_history", ".sh_history",
        ".sqlite_history", ".viminfo", ".wget-hsts", ".zsh_history",
    ]
    /// Python's compiled modules, which it tries to put beside each module that it reads.
    private static let asideDirectory = "__pycache__"

    /// Whether it is a refusal that a correct app meets too.
    private static func isAside(_ event: RememberedFinding) -> Bool {
        guard event.code == "refused", let parts = event.path?.pathParts, let name = parts.last else {
            return false
        }
        // With an ending where a draft is written first.
        return parts.count == 1 && asideFiles.contains { name.hasPrefix($0) }
            || parts.contains(asideDirectory)
    }
}
