import SystemPackage

/// One thing to measure: a value with a name and steps, of which only `run` is timed.
///
/// A new workload is a new file in `Workloads` and a line in `Workload.all`.
struct Workload: Sendable {
    typealias Step = @Sendable (Arena) throws(Errno) -> Void

    /// What one sample's time is divided by, and so the unit of the table.
    enum Measure: String, Sendable {
        case microsecondsPerCall
        case mebibytesPerSecond
        case millisecondsPerRun
    }

    let name: String
    var measure = Measure.microsecondsPerCall
    /// The kernel's caches are dropped before each sample, which only root may do.
    var isCold = false
    /// Units (calls, MiB or runs) of one sample.
    var unitCount: @Sendable (Scale) -> Int = { $0.callCount }
    /// Once in each directory, before the first round.
    var setUp: Step = { _ throws(Errno) in }
    /// Before each sample.
    var prepare: Step = { _ throws(Errno) in }
    /// The timed step.
    let run: Step
    /// After each sample: leaves the directory as `setUp` did.
    var reset: Step = { _ throws(Errno) in }
    /// Once in each directory, after the last round.
    var tearDown: Step = { _ throws(Errno) in }

    /// Works on a source tree: samples are long, so that fewer of them do.
    var isOnTree: Bool { measure == .millisecondsPerRun }
}

extension Workload {
    /// Every workload, in the order in which they run.
    static let all: [Workload] = [
        .createWriteClose, .openReadClose, .openClose, .stat, .statCold, .statAbsent, .statAbsentCold,
        .changeMode,
        .getExtendedAttribute, .setExtendedAttribute, .makeDirectory, .removeDirectory, .rename, .unlink,
        .listAndStat, .listAndStatCold, .randomRead, .randomReadCold, .randomReadDirect, .randomWrite,
        .sequentialRead, .sequentialReadCold, .mappedRead, .sequentialWrite, .untar, .grep, .grepCold, .find,
        .removeTree, .gitStatus,
    ]
}
