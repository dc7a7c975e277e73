internal import ArgumentParser
internal import Wire

/// How many snapshots stay, or how old they may be: `5`, `12h`, `30d`, `8w`.
struct KeepOption: ExpressibleByArgument {
    let kept: KeptSnapshots

    private static let units: [Character: Int64] = ["h": 3600, "d": 86_400, "w": 7 * 86_400]
    private static let most = 1_000_000

    init?(argument: String) {
        if let count = Int(argument) {
            guard (1...Self.most).contains(count) else { return nil }
            kept = .newest(count)
            return
        }
        guard let unit = argument.last.flatMap({ Self.units[$0] }), let count = Int64(argument.dropLast()),
            (1...Int64(Self.most)).contains(count)
        else { return nil }
        kept = .younger(count * unit)
    }
}
