/// What the command line asks for.
struct Options: Equatable {
    struct Directory: Equatable {
        let label: String
        let path: String
    }

    enum Pinning: String, CaseIterable {
        case yes, no, both
    }

    var directories: [Directory] = []
    var scale = Scale()
    var roundCount = 15
    var pinning = Pinning.both
    var only: [String] = []
    var seed = UInt64.random(in: 1...999_999)
    /// Ratios are also shown against this directory.
    var peer: String?
    /// The exit status says whether a ratio against the peer is above this.
    var ratioLimit: Double?
    var printsJSON = false
    var printsHelp = false
    var listsWorkloads = false
}

/// A command line that means nothing: exit status 64.
struct UsageError: Error, Equatable {
    let message: String
}

extension Options {
    static let usage = """
        usage: apphome-bench NAME=DIR… [options]

        Measures file operations in each DIR, in interleaved rounds and random order, and prints medians
        and ratios to the directory named `native`. A ratio above 1 is slower.

          --against NAME    ratios to this directory too
          --at-most RATIO   exit 3 when a ratio to that directory is above RATIO
          --rounds N        samples of each workload in each directory (15)
          --count N         calls of a sample (2000)
          --entries N       files of the directory that is listed (10000)
          --size-mib N      length of the large file (1024)
          --only NAME       this workload only; may be repeated
          --pin yes|no|both stay on one CPU, or not, or one after the other (both)
          --seed N          repeat the order of an earlier run
          --json            the samples too, as JSON
          --list            print the workloads' names

        example: apphome-bench native=/tmp/a apphome=$HOME/notes/Documents --rounds 5 --only rename
        """

    /// Reads the command line, without the program's name.
    init(arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            try take(word, from: &rest)
        }
        if printsHelp || listsWorkloads { return }
        try check()
    }

    private mutating func take(_ word: String, from rest: inout ArraySlice<String>) throws(UsageError) {
        switch word {
        case "--help", "-h": printsHelp = true
        case "--list": listsWorkloads = true
        case "--json": printsJSON = true
        case "--against": peer = try Self.value(of: word, &rest)
        case "--at-most": ratioLimit = try Self.number(of: word, &rest)
        case "--rounds": roundCount = try Self.count(of: word, &rest)
        case "--count": scale.callCount = try Self.count(of: word, &rest)
        case "--entries": scale.entryCount = try Self.count(of: word, &rest)
        case "--size-mib": scale.sizeMiB = try Self.count(of: word, &rest)
        case "--only": only.append(try Self.value(of: word, &rest))
        case "--seed": seed = UInt64(try Self.count(of: word, &rest))
        case "--pin":
            let text = try Self.value(of: word, &rest)
            guard let choice = Pinning(rawValue: text) else {
                throw UsageError(message: "--pin takes yes, no or both, not \(text)")
            }
            pinning = choice
        default: directories.append(try Self.directory(word))
        }
    }

    private static func directory(_ word: String) throws(UsageError) -> Directory {
        guard !word.hasPrefix("-") else { throw UsageError(message: "\(word) is no option") }
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw UsageError(message: "\(word) is not NAME=DIR") }
        return Directory(label: parts[0], path: parts[1])
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError)
        -> String
    {
        guard let text = rest.popFirst() else { throw UsageError(message: "\(option) needs a value") }
        return text
    }

    private static func number(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError)
        -> Double
    {
        let text = try value(of: option, &rest)
        guard let number = Double(text), number > 0, number.isFinite else {
            throw UsageError(message: "\(option) takes a number above 0, not \(text)")
        }
        return number
    }

    private static func count(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> Int {
        let text = try value(of: option, &rest)
        guard let number = Int(text), (1...1_000_000_000).contains(number) else {
            throw UsageError(message: "\(option) takes a whole number from 1, not \(text)")
        }
        return number
    }

    private func check() throws(UsageError) {
        let labels = directories.map(\.label)
        if labels.isEmpty { throw UsageError(message: "no NAME=DIR given; see apphome-bench --help") }
        if Set(labels).count != labels.count { throw UsageError(message: "a NAME is given twice") }
        if let peer, !labels.contains(peer) { throw UsageError(message: "--against \(peer): no such NAME") }
        if ratioLimit != nil, peer == nil { throw UsageError(message: "--at-most needs --against NAME") }
        let known = Workload.all.map(\.name)
        if let unknown = only.first(where: { !known.contains($0) }) {
            throw UsageError(message: "no workload \(unknown); see apphome-bench --list")
        }
    }
}
