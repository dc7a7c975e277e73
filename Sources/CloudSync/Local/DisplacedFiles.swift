/// The files in staging that were displaced, and when each is to be asked for again: somebody may still have
/// it open. Values in, values out; times by `SyncClock.now`.
struct DisplacedFiles {
    private struct Probe {
        var interval: UInt64 = 0
        var due: UInt64 = 0
        /// Nobody can write to it any more.
        var isFree = false
    }

    private var probes: [String: Probe] = [:]
    /// What an earlier process left was looked for.
    var hasLeftovers = false

    /// When to look again; nil where nothing waits.
    var wakeAt: UInt64? { probes.values.lazy.filter { !$0.isFree }.map(\.due).min() }
    /// Nobody can write to these.
    var free: [String] { probes.filter(\.value.isFree).map(\.key) }
    func due(at now: UInt64) -> [String] {
        probes.filter { !$0.value.isFree && $0.value.due <= now }.map(\.key)
    }

    mutating func add(_ name: String) { if probes[name] == nil { probes[name] = Probe() } }
    mutating func drop(_ name: String) { probes[name] = nil }
    mutating func noteFree(_ name: String) { probes[name]?.isFree = true }

    /// It is still open: 1, 2, 4, then every 8 s.
    mutating func waitLonger(_ name: String, at now: UInt64) {
        guard var probe = probes[name] else { return }
        probe.interval = min(max(WriterProbes.second, probe.interval * 2), WriterProbes.longestInterval)
        probe.due = now + probe.interval
        probes[name] = probe
    }
}
