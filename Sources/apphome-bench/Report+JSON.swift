import Foundation

extension Report {
    private struct Document: Encodable {
        struct Measurement: Encodable {
            let workload: String
            let pinned: Bool
            let directory: String
            let unit: String
            let median: Double
            let ratios: [String: Double]
            let samplesSeconds: [Double]
        }

        let seed: UInt64
        let rounds: Int
        let calls: Int
        let entries: Int
        let sizeMiB: Int
        let measurements: [Measurement]
        let skipped: [String]
    }

    /// The whole run, samples included.
    func json() throws -> String {
        let document = Document(
            seed: options.seed, rounds: options.roundCount, calls: options.scale.callCount,
            entries: options.scale.entryCount, sizeMiB: options.scale.sizeMiB,
            measurements: results.flatMap(measurements), skipped: skipped.map(\.name))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    private func measurements(of result: WorkloadResult) -> [Document.Measurement] {
        result.series.map { series in
            let references = [Self.baseline, options.peer].compactMap(\.self)
                .filter { $0 != series.directory }
            let ratios = references.compactMap { reference in
                result.ratio(of: series.directory, to: reference).map { (reference, $0) }
            }
            return Document.Measurement(
                workload: result.workload.name, pinned: result.isPinned, directory: series.directory,
                unit: result.workload.measure.rawValue, median: result.figure(of: series.directory),
                ratios: Dictionary(ratios) { first, _ in first }, samplesSeconds: series.samplesSeconds)
        }
    }
}
