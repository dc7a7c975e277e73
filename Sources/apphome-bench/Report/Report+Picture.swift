extension Report {
    /// The ratios to native, without pinning where that was measured; nil where there is nothing to compare.
    func picture() -> Picture? {
        let labels = options.directories.map(\.label)
        let compared = labels.filter { $0 != Self.baseline }
        guard labels.contains(Self.baseline), !compared.isEmpty else { return nil }
        let isPinned = options.pinning == .yes
        let groups = results.filter { $0.isPinned == isPinned }.map { result in
            Picture.Group(
                name: result.workload.name,
                ratios: compared.map { result.ratio(of: $0, to: Self.baseline) })
        }
        let pinned = isPinned ? "pinned to one CPU" : "not pinned"
        return Picture(
            caption: "Time relative to native (\(pinned)); longer is slower", labels: compared,
            groups: groups)
    }
}
