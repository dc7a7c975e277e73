internal import Wire

/// What happened to the app's files while a program ran: what its home refused, names that only case tells
/// apart, and what it left outside of its home. On a device the first fails too, of the second the app finds
/// nothing, and the third is not there.
enum RunReport {
    /// Prints it to standard error: standard output is the program's.
    /// - Parameters:
    ///   - isCut: whether the daemon no longer knows all of them.
    ///   - knowsOutside: whether what it left outside of the home is among them.
    static func print(_ events: [WatchedEvent], isCut: Bool, knowsOutside: Bool) {
        if !knowsOutside {
            printError(
                "apphome: report: what it left outside of its home is not known: others write there too")
        }
        if events.isEmpty {
            return printError("apphome: report: nothing was refused, no name was missed by case")
        }
        if isCut { printError("apphome: report: more happened than is kept; the latest are:") }
        let counts = Dictionary(grouping: events, by: \.event).mapValues(\.count).sorted { $0.key < $1.key }
        let kinds = counts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        printError("apphome: report: \(kinds)")
        for event in events { printError("  " + printable(event.line)) }
    }
}

extension WatchedEvent {
    /// For people.
    var line: String {
        [time.text, event, who, path, detail].compactMap { $0 }.joined(separator: "  ")
    }

    private var who: String? {
        guard let pid else { return program }
        return "\(program ?? "?")[\(pid)]"
    }
}
