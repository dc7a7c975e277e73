/// What a directory could not do.
struct Failure: Sendable {
    let directory: Options.Directory
    let message: String
}

/// One workload in one directory: the seconds of each round.
struct Series: Sendable {
    let directory: String
    var samplesSeconds: [Double] = []
    /// CPU time that the serving process spent in each; none where no process was named.
    var serverSeconds: [Double] = []
}

/// One workload, pinned or not: a series for each directory.
struct WorkloadResult: Sendable {
    let workload: Workload
    let isPinned: Bool
    let unitCount: Int
    var series: [Series]
    /// The seconds of one request to the floor, of each round; none where no floor was named.
    var floorSeconds: [Double] = []

    /// Forgets the samples of directories that did not do the workload to its end.
    mutating func drop(_ labels: Set<String>) {
        for index in series.indices where labels.contains(series[index].directory) {
            series[index] = Series(directory: series[index].directory)
        }
    }

    /// The samples; nil where there are none.
    private func samplesSeconds(of label: String) -> [Double]? {
        let samples = series.first { $0.directory == label }?.samplesSeconds ?? []
        return samples.isEmpty ? nil : samples
    }

    /// The median in the workload's measure; nil where it was not measured.
    func figure(of label: String) -> Double? {
        guard let samples = samplesSeconds(of: label) else { return nil }
        let seconds = median(samples)
        switch workload.measure {
        case .microsecondsPerCall: return seconds * 1_000_000 / Double(unitCount)
        case .mebibytesPerSecond: return seconds > 0 ? Double(unitCount) / seconds : nil
        case .millisecondsPerRun: return seconds * 1_000 / Double(unitCount)
        }
    }

    /// How much longer `label` took than `reference`; nil where one of them was not measured.
    func ratio(of label: String, to reference: String) -> Double? {
        guard let mine = samplesSeconds(of: label), let theirs = samplesSeconds(of: reference) else {
            return nil
        }
        return pairedRatio(mine, to: theirs)
    }

    /// The fastest of `others`, and how much longer `label` took than that; nil where none was measured.
    func best(of others: [String], against label: String) -> (label: String, ratio: Double)? {
        let ratios = others.compactMap { other in ratio(of: label, to: other).map { (other, $0) } }
        return ratios.max { $0.1 < $1.1 }
    }

    /// The time that `label` takes beyond `reference`, in requests to the floor: x in `reference + x F`.
    /// - Returns: nil where one of the three was not measured, or the workload is none of calls.
    func floorMultiple(of label: String, beyond reference: String) -> Double? {
        guard workload.measure == .microsecondsPerCall, !floorSeconds.isEmpty,
            let mine = samplesSeconds(of: label), let theirs = samplesSeconds(of: reference)
        else { return nil }
        let beyond = zip(mine, theirs).map { ($0 - $1) / Double(unitCount) }
        return median(beyond) / median(floorSeconds)
    }

    /// Microseconds of CPU that the serving process spent per unit (call, MiB or run), the mean of all
    /// samples; nil where no process was named or nothing was measured.
    func serverMicroseconds(of label: String) -> Double? {
        let served = series.first { $0.directory == label }?.serverSeconds ?? []
        guard !served.isEmpty else { return nil }
        return served.reduce(0, +) * 1_000_000 / Double(served.count * unitCount)
    }
}
