import FuseKit

/// What `apphome-bench floor` is asked for.
struct FloorCommand: Equatable {
    let path: String
    let transport: TransportChoice

    /// Reads the words after `floor`.
    init(arguments: [String]) throws(UsageError) {
        var words = arguments
        var transport = TransportChoice.auto
        if let index = words.firstIndex(of: "--transport"), index + 1 < words.count {
            guard let choice = TransportChoice(rawValue: words[index + 1]) else {
                let choices = TransportChoice.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError(message: "--transport takes one of \(choices), not \(words[index + 1])")
            }
            transport = choice
            words.removeSubrange(index...(index + 1))
        }
        guard words.count == 1, !words[0].hasPrefix("-") else {
            throw UsageError(message: "floor takes one directory; see apphome-bench --help")
        }
        path = words[0]
        self.transport = transport
    }
}
