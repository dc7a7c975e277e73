/// The files that somebody may be writing, and when each is to be asked for again: with passthrough no
/// request tells of a write, nor of a mapping's end. Values in, values out; times by `SyncClock.now`.
struct WriterProbes {
    private struct Probe {
        /// Its intervals grow to the longest.
        var interval: UInt64
        var due: UInt64
        /// When it was first found so.
        let since: UInt64
        var fingerprint: Fingerprint
        /// Since when the fingerprint has been this one, as far as was looked.
        var stillSince: UInt64
        /// The caller knows that it may be read; since when.
        var toldAt: UInt64?
        var isToldAgain = false
        /// Read as a copy, whoever has it open.
        var isDatabase = false
        var copied: Fingerprint?
        var copiedAt: UInt64 = 0
        /// What was read though somebody has it open, and is not to be read again yet.
        var read: Fingerprint?
    }

    private var probes: [LocalPath: Probe] = [:]
    /// No database is copied before this.
    private var copiesFrom: UInt64 = 0
    /// Nanoseconds; a database that changes is copied at most so often.
    private let betweenCopies: UInt64

    init(betweenCopies: UInt64 = 30 * second) { self.betweenCopies = betweenCopies }

    static let second: UInt64 = 1_000_000_000
    static let longestInterval = 8 * second
    static let restsPerWait: UInt64 = 4
    /// A file that is open for longer, and stood still for long, is read all the same.
    static let longOpen = 30 * second
    static let longStill = 10 * second
    /// A page that a mapping has written to takes more without a trace until the kernel has written it out,
    /// which it does within 30 s and some.
    static let longDirty = 40 * second

    /// When to look again; nil where nothing waits.
    var wakeAt: UInt64? { probes.values.lazy.map(\.due).min() }

    func due(at now: UInt64) -> [LocalPath] { probes.filter { $0.value.due <= now }.map(\.key) }

    /// A file was found with a writer.
    mutating func found(
        _ path: LocalPath, _ fingerprint: Fingerprint, isDatabase: Bool = false, at now: UInt64
    ) {
        let fresh = Probe(
            interval: Self.second, due: now + Self.second, since: now, fingerprint: fingerprint,
            stillSince: now)
        var probe = probes[path] ?? fresh
        probe.isDatabase = isDatabase
        if probe.fingerprint != fingerprint {
            probe.fingerprint = fingerprint
            probe.stillSince = now
            probe.toldAt = nil
            probe.isToldAgain = false
        }
        probes[path] = probe
    }

    /// A file whose turn had come still has a writer: it has to wait longer.
    /// - Returns: whether the caller has to hear that it may be read now nevertheless; once.
    mutating func waitLonger(_ path: LocalPath, at now: UInt64) -> Bool {
        guard var probe = probes[path] else { return false }
        probe.interval = min(probe.interval * 2, Self.longestInterval)
        probe.due = now + probe.interval
        let isNews = isReadable(probe, at: now) && isUntold(probe, at: now)
        if isNews {
            probe.isToldAgain = probe.toldAt != nil
            probe.toldAt = now
            probe.read = nil
        }
        probes[path] = probe
        return isNews
    }

    /// Whether a file may be read though somebody has it open for writing.
    func mayBeRead(_ path: LocalPath, _ fingerprint: Fingerprint, at now: UInt64) -> Bool {
        guard let probe = probes[path], probe.fingerprint == fingerprint else { return false }
        return isReadable(probe, at: now)
    }

    /// A database was waited for in vain, by the thread that syncs all apps: the next one of this app has to
    /// wait itself, for several times as long.
    mutating func wasBusy(from start: UInt64, until now: UInt64) {
        copiesFrom = now + (now - min(start, now)) * Self.restsPerWait
    }

    /// A database was copied; `fingerprint` is that of the copy.
    mutating func copied(_ path: LocalPath, _ fingerprint: Fingerprint, at now: UInt64) {
        probes[path]?.copied = fingerprint
        probes[path]?.copiedAt = now
        probes[path]?.toldAt = nil
    }

    /// Whether a database that never comes to rest is to be copied nevertheless: it has been written, or was
    /// copied last, as long ago as copies are apart.
    func isOverdue(_ path: LocalPath, at now: UInt64) -> Bool {
        guard let probe = probes[path], probe.isDatabase else { return false }
        return now >= max(probe.since, probe.copiedAt) + betweenCopies
    }

    /// A file was read while somebody had it open: until it changes, or is told again, it is what was read.
    mutating func wasRead(_ path: LocalPath, _ fingerprint: Fingerprint) {
        probes[path]?.read = fingerprint
    }

    func isAsRead(_ path: LocalPath, _ fingerprint: Fingerprint) -> Bool {
        probes[path]?.read == fingerprint
    }

    /// Nobody writes it any more, or it is gone.
    mutating func end(_ path: LocalPath) { probes[path] = nil }

    private func isUntold(_ probe: Probe, at now: UInt64) -> Bool {
        if probe.isDatabase { return probe.toldAt == nil && probe.copied != probe.fingerprint }
        guard let toldAt = probe.toldAt else { return true }
        return !probe.isToldAgain && now >= toldAt + Self.longDirty
    }

    private func isReadable(_ probe: Probe, at now: UInt64) -> Bool {
        if probe.isDatabase {
            return now >= copiesFrom && (probe.copied == nil || now >= probe.copiedAt + betweenCopies)
        }
        return now >= probe.since + Self.longOpen && now >= probe.stillSince + Self.longStill
    }
}
