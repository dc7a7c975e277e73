import Foundation

extension Report {
    private struct Document: Encodable {
        struct Measurement: Encodable {
            let workload: String
            let pinned: Bool
            let directory: String
            let unit: String
            let median: Double?
            let ratios: [String: Double]
            /// x in `native + x F`.
            let floorMultiple: Double?
            let serverMicrosecondsPerUnit: Double?
            let samplesSeconds: [Double]
        }

        let seed: UInt64
        let rounds: Int
        let treeRounds: Int
        let calls: Int
        let entries: Int
        let sizeMiB: Int
        let treeFiles: Int
        /// F by pinning: `pinned`, `unpinned`.
        let floorMicroseconds: [String: Double]
        let measurements: [Measurement]
        let skipped: [String]
        let failures: [String]
    }

    /// The whole run, samples included.
    func json() throws -> String {
        let floors = options.pinning.choices.compactMap { isPinned in
            floorMicroseconds(isPinned: isPinned).map { (isPinned ? "pinned" : "unpinned", $0) }
        }
        let document = Document(
            seed: options.seed, rounds: options.roundCount, treeRounds: options.treeRoundCount,
            calls: options.scale.callCount, entries: options.scale.entryCount,
            sizeMiB: options.scale.sizeMiB, treeFiles: options.scale.treeFileCount,
            floorMicroseconds: Dictionary(uniqueKeysWithValues: floors),
            measurements: results.flatMap(measurements),
            skipped: options.selection().skipped.map(\.name), failures: failures.map(\.message))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    private func measurements(of result: WorkloadResult) -> [Document.Measurement] {
        result.series.map { series in
            let label = series.directory
            let ratios = references(of: label).compactMap { reference in
                result.ratio(of: label, to: reference).map { (reference, $0) }
            }
            return Document.Measurement(
                workload: result.workload.name, pinned: result.isPinned, directory: label,
                unit: result.workload.measure.rawValue, median: result.figure(of: label),
                ratios: Dictionary(ratios) { first, _ in first },
                floorMultiple: label == Self.baseline
                    ? nil : result.floorMultiple(of: label, beyond: Self.baseline),
                serverMicrosecondsPerUnit: result.serverMicroseconds(of: label),
                samplesSeconds: series.samplesSeconds)
        }
    }
}
