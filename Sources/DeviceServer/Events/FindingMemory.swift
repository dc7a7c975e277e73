internal import Databases
internal import Device
internal import Posix
internal import Wire

/// What programs did that breaks on a device, each thing once, until a person clears it.
///
/// The ring holds the latest events only, and one program can fill it within a second. So findings are taken
/// out of it, and written to the device's folder a second later: a daemon that is killed loses no more.
/// Where the disk is full they stay in memory, as far as there is room.
final class FindingMemory: Sendable {
    /// So many are kept of a device.
    static let most = 10_000
    /// Of those that are not written yet.
    private static let unwrittenBytes = 4 << 20
    private static let saveSeconds = 1.0
    /// How long a disk is left alone that took nothing.
    private static let patienceSeconds = 60.0
    /// Of one answer.
    private static let pageCount = 1000
    private static let pageBytes = 1 << 20

    private struct State {
        /// The last event that was taken in.
        var newest: UInt64 = 0
        /// What is to be added to the file.
        var unwritten: [FindingKey: RememberedFinding] = [:]
        var unwrittenBytes = 0
        var counters = FindingCounters()
        var file: FindingFile?
        var saveDue: Deadline?
        /// The last write failed, and the log says so.
        var hasFailed = false
    }

    private let ring: EventRing
    private let device: Device
    private let log: DaemonLog
    private let most: Int
    /// Held while the file is read or written. Never taken by a thread that serves file operations.
    private let state = Lock(State(), rank: .findings)

    init(ring: EventRing, device: Device, log: DaemonLog, most: Int = FindingMemory.most) {
        self.ring = ring
        self.device = device
        self.log = log
        self.most = most
    }

    /// When `saveIfDue` has something to do; nil: nothing is to be written.
    var saveDue: Deadline? { state.withLock { $0.saveDue } }

    /// Takes what has happened since out of the ring.
    func takeIn() { state.withLock { takeIn(&$0) } }

    func saveIfDue() {
        state.withLock { state in
            if state.saveDue?.hasPassed == true { save(&state) }
        }
    }

    /// Writes what has happened until now.
    func save() {
        state.withLock { state in
            takeIn(&state)
            save(&state)
        }
    }

    // MARK: - Questions

    /// A part of what is remembered.
    /// - Parameters:
    ///   - apps: of these identifiers; nil: of all.
    ///   - id: `next` of the part before; nil: the first one.
    func page(of apps: [String]?, after id: Int64?) -> RememberedFindings {
        state.withLock { state in
            takeIn(&state)
            if !state.hasFailed { save(&state) }
            var (rows, bytes) = (0, 0)
            let isRoom = { (finding: RememberedFinding) in
                (rows, bytes) = (rows + 1, bytes + finding.textBytes)
                return rows == 1 || rows <= Self.pageCount && bytes <= Self.pageBytes
            }
            let file = try? reached(&state) { try $0.page(of: apps, after: id ?? 0, while: isRoom) }
            var page = RememberedFindings(findings: file?.findings ?? [], next: file?.next)
            let counters = (try? reached(&state) { try $0.counters() }) ?? FindingCounters()
            page.forgotten = counters.forgotten + state.counters.forgotten
            page.unexamined = counters.unexamined + state.counters.unexamined
            addUnwritten(to: &page, of: apps, &state)
            return page
        }
    }

    /// What the disk did not take.
    private func addUnwritten(to page: inout RememberedFindings, of apps: [String]?, _ state: inout State) {
        guard !state.unwritten.isEmpty else { return }
        for index in page.findings.indices {
            if let more = state.unwritten[FindingKey(page.findings[index])] { page.findings[index].add(more) }
        }
        guard page.next == nil else { return }
        for finding in state.unwritten.values where apps?.contains(finding.app) ?? true {
            let isWritten = (try? reached(&state) { try $0.contains(finding) }) ?? false
            if !isWritten { page.findings.append(finding) }
        }
    }

    /// Forgets what happened until now.
    /// - Parameter apps: of these identifiers; nil: of all.
    /// - Returns: how many findings that were.
    @discardableResult
    func clear(of apps: [String]?) throws -> Int {
        try state.withLock { state in
            takeIn(&state)
            let count = count(of: apps, &state)
            guard let apps else {
                state = State(newest: state.newest, hasFailed: state.hasFailed)
                if let folder = try device.findingsFolder(makes: false) { try FindingFile.remove(in: folder) }
                return count
            }
            remove(apps, from: &state)
            try reached(&state) { try $0.remove(of: apps) }
            return count
        }
    }

    private func count(of apps: [String]?, _ state: inout State) -> Int {
        let written = (try? reached(&state) { try $0.count(of: apps) }) ?? 0
        return written
            + state.unwritten.values.count { finding in
                guard apps?.contains(finding.app) ?? true else { return false }
                return (try? reached(&state) { try $0.contains(finding) }) != true
            }
    }

    /// Forgets what is remembered of apps and groups that the device has no more.
    func forgetApps() {
        do {
            let known = try device.identifiers()
            try state.withLock { state in
                takeIn(&state)
                let written = try reached(&state) { try $0.apps() } ?? []
                let gone = written.union(state.unwritten.values.map(\.app)).subtracting(known)
                remove(gone, from: &state)
                if !gone.isEmpty { try reached(&state) { try $0.remove(of: gone) } }
            }
        } catch { log.write("cannot forget the findings of apps that are gone: \(error)") }
    }

    private func remove(_ apps: some Collection<String>, from state: inout State) {
        state.unwritten = state.unwritten.filter { !apps.contains($0.value.app) }
        state.unwrittenBytes = state.unwritten.values.reduce(0) { $0 + $1.textBytes }
    }

    // MARK: - Taking in and writing

    private func takeIn(_ state: inout State) {
        while true {
            let entries = ring.entries(after: state.newest)
            guard let first = entries.first, let last = entries.last else { return }
            state.counters.unexamined += first.event.sequence - state.newest - 1
            for entry in entries where entry.event.isFinding { add(entry.event, to: &state) }
            state.newest = last.event.sequence
            bound(&state)
            let isClean = state.unwritten.isEmpty && state.counters == FindingCounters()
            if !isClean, state.saveDue == nil { state.saveDue = Deadline(seconds: Self.saveSeconds) }
        }
    }

    private func add(_ event: WatchedEvent, to state: inout State) {
        let finding = RememberedFinding(event)
        let key = FindingKey(finding)
        if state.unwritten[key]?.add(finding) == nil {
            state.unwritten[key] = finding
            state.unwrittenBytes += finding.textBytes
        }
    }

    /// Writes early what is much; of what the disk does not take the least recent is forgotten.
    private func bound(_ state: inout State) {
        let isMuch = { (state: State) in
            state.unwritten.count > self.most || state.unwrittenBytes > Self.unwrittenBytes
        }
        if isMuch(state), !state.hasFailed { save(&state) }
        guard isMuch(state) else { return }
        let oldest = state.unwritten.sorted { $0.value.last < $1.value.last }
        // Not one by one: sorting them is work.
        var rest = max(state.unwritten.count / 10, state.unwritten.count - most)
        for (key, finding) in oldest where rest > 0 || isMuch(state) {
            state.unwritten[key] = nil
            state.unwrittenBytes -= finding.textBytes
            state.counters.forgotten += 1
            rest -= 1
        }
    }

    private func save(_ state: inout State) {
        guard !state.unwritten.isEmpty || state.counters != FindingCounters() else {
            state.saveDue = nil
            return
        }
        do {
            // In their order, by which those go that were seen least recently.
            let findings = state.unwritten.values.sorted { $0.last < $1.last }
            let counters = state.counters
            try reached(&state, makes: true) { try $0.add(findings, counters, keeping: most) }
            state.unwritten = [:]
            state.unwrittenBytes = 0
            state.counters = FindingCounters()
            state.saveDue = nil
            state.hasFailed = false
        } catch {
            if !state.hasFailed { log.write("cannot write what is remembered of findings: \(error)") }
            state.hasFailed = true
            state.saveDue = Deadline(seconds: Self.patienceSeconds)
        }
    }

    /// Runs `body` with the file; where that is damaged, once more with a new one.
    /// - Parameter makes: whether it is made where it is missing.
    /// - Returns: nil where it is missing.
    @discardableResult
    private func reached<Result>(
        _ state: inout State, makes: Bool = false, _ body: (FindingFile) throws -> Result
    ) throws -> Result? {
        guard let folder = try device.findingsFolder(makes: makes) else { return nil }
        if state.file == nil {
            guard try makes || FindingFile.exists(in: folder) else { return nil }
            state.file = try FindingFile(in: folder)
        }
        guard let file = state.file else { return nil }
        do { return try body(file) } catch let error as SQLiteError where error.isDamage {
            log.write("what was remembered of findings is damaged, and forgotten: \(error.message)")
            state.file = nil
            try FindingFile.remove(in: folder)
            let new = try FindingFile(in: folder)
            state.file = new
            return try body(new)
        }
    }
}

/// What makes two findings the same, byte by byte: strings that only look the same are two names.
struct FindingKey: Hashable {
    private let bytes: [UInt8]

    init(_ finding: RememberedFinding) {
        var bytes: [UInt8] = []
        for part in [finding.app, finding.code, finding.program ?? "", finding.path ?? ""] {
            bytes += part.utf8
            // None of them holds one.
            bytes.append(0)
        }
        self.bytes = bytes
    }
}

extension RememberedFinding {
    init(_ event: WatchedEvent) {
        self.init(
            app: event.app, code: event.event, path: event.path, program: event.program,
            detail: event.detail, count: 1, first: event.time, last: event.time)
    }

    /// What of it is as long as others like.
    var textBytes: Int {
        app.utf8.count + (path?.utf8.count ?? 0) + (program?.utf8.count ?? 0) + (detail?.utf8.count ?? 0)
    }

    /// It has happened again.
    mutating func add(_ later: RememberedFinding) {
        count += later.count
        last = max(last, later.last)
        detail = later.detail
    }
}
