/// What the command line asks for.
struct Options: Equatable {
    struct Directory: Equatable {
        let label: String
        let path: String
        /// The process that serves what is mounted there.
        var serverProcessID: Int32?
        /// Stands in the table for comparison: it need not do every workload, and no limit is set to it.
        var isPeer = false
        /// Whose the calls are; nil: this process's user.
        var userID: UInt32?
    }

    enum Format {
        case text, markdown, json
    }

    enum Pinning: String, CaseIterable {
        case yes, no, both

        /// Whether to pin, in turn.
        var choices: [Bool] {
            switch self {
            case .yes: [true]
            case .no: [false]
            case .both: [true, false]
            }
        }
    }

    var directories: [Directory] = []
    /// Whose the calls are, by the directories' names.
    private var users: [String: UInt32] = [:]
    var scale = Scale()
    var roundCount = 15
    /// Rounds of the workloads on the source tree, whose samples are long.
    var treeRoundCount = 5
    var pinning = Pinning.both
    var only: [String] = []
    var seed = UInt64.random(in: 1...999_999)
    /// Ratios are also shown against this directory.
    var reference: String?
    /// The exit status says whether a ratio against the reference is above this.
    var ratioLimit: Double?
    /// Where `apphome-bench floor` serves.
    var floor: Directory?
    /// Where the picture goes.
    var picturePath: String?
    var format = Format.text
    var printsHelp = false
    var listsWorkloads = false
}

/// A command line that means nothing: exit status 64.
struct UsageError: Error, Equatable {
    let message: String
}

extension Options {
    static let usage = """
        usage: apphome-bench NAME=DIR[@PID]… [options]
               apphome-bench floor DIR [--transport auto|ring|classic]
               apphome-bench watchers DEVICE COUNT
               apphome-bench refusals DIR PER-SECOND

        Measures file operations in each DIR, in interleaved rounds and random order, and prints medians
        and ratios to the directory named `native`. A ratio above 1 is slower. PID is the process that
        serves DIR: the CPU time that it spends is shown too.

          --peer NAME=DIR[@PID]  a directory that need not do everything: `-` where it cannot
          --user NAME=UID        calls in that directory are this user's, who may write there (root only)
          --against NAME         ratios to this directory too
          --at-most RATIO        exit 3 when a ratio to that directory is above RATIO (peers may be)
          --floor DIR            where the floor is mounted: each call also as native + x F, F being the
                                 time of one request that is answered at once
          --rounds N             samples of each workload in each directory (15)
          --tree-rounds N        the same for the workloads on a source tree (5)
          --count N              calls of a sample (2000)
          --entries N            files of the directory that is listed (10000)
          --size-mib N           length of the large file (1024)
          --tree N               files of the source tree (4000)
          --only NAME            this workload only; may be repeated
          --pin yes|no|both      stay on one CPU, or not, or one after the other (both)
          --seed N               repeat the order of an earlier run
          --json                 the samples too, as JSON
          --markdown             the table as Markdown
          --svg FILE             also a picture of the ratios to native
          --list                 print the workloads' names

        `floor DIR` mounts a file system that answers every request at once, on the transport of a home,
        and serves it until it is unmounted or a signal comes. `watchers` watches what happens on a device,
        as so many programs, of which the first never reads; `refusals` makes folders in DIR that it may not
        make. Both go on until a signal comes.

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
        for index in directories.indices { directories[index].userID = users[directories[index].label] }
    }

    private mutating func take(_ word: String, from rest: inout ArraySlice<String>) throws(UsageError) {
        switch word {
        case "--help", "-h": printsHelp = true
        case "--list": listsWorkloads = true
        case "--json": format = .json
        case "--markdown": format = .markdown
        case "--svg": picturePath = try Self.value(of: word, &rest)
        case "--floor": floor = Directory(label: "floor", path: try Self.value(of: word, &rest))
        case "--user": try takeUser(try Self.value(of: word, &rest))
        case "--against": reference = try Self.value(of: word, &rest)
        case "--at-most": ratioLimit = try Self.number(of: word, &rest)
        case "--only": only.append(try Self.value(of: word, &rest))
        case "--pin":
            let text = try Self.value(of: word, &rest)
            guard let choice = Pinning(rawValue: text) else {
                throw UsageError(message: "--pin takes yes, no or both, not \(text)")
            }
            pinning = choice
        case "--peer":
            var peer = try Self.directory(try Self.value(of: word, &rest))
            peer.isPeer = true
            directories.append(peer)
        default:
            if try takeCount(word, from: &rest) { return }
            directories.append(try Self.directory(word))
        }
    }

    private mutating func takeUser(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=").map(String.init)
        guard parts.count == 2, let userID = UInt32(parts[1]), userID < .max else {
            throw UsageError(message: "--user takes NAME=UID, not \(text)")
        }
        users[parts[0]] = userID
    }

    /// - Returns: false where `word` is no option with a number.
    private mutating func takeCount(
        _ word: String, from rest: inout ArraySlice<String>
    ) throws(UsageError) -> Bool {
        switch word {
        case "--rounds": roundCount = try Self.count(of: word, &rest)
        case "--tree-rounds": treeRoundCount = try Self.count(of: word, &rest)
        case "--count": scale.callCount = try Self.count(of: word, &rest)
        case "--entries": scale.entryCount = try Self.count(of: word, &rest)
        case "--size-mib": scale.sizeMiB = try Self.count(of: word, &rest)
        case "--tree": scale.treeFileCount = try Self.count(of: word, &rest)
        case "--seed": seed = UInt64(try Self.count(of: word, &rest))
        default: return false
        }
        return true
    }

    private static func directory(_ word: String) throws(UsageError) -> Directory {
        guard !word.hasPrefix("-") else { throw UsageError(message: "\(word) is no option") }
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw UsageError(message: "\(word) is not NAME=DIR") }
        // Only digits after the last @ are a process: paths may hold one too.
        if let at = parts[1].lastIndex(of: "@"), at > parts[1].startIndex,
            let processID = Int32(parts[1][parts[1].index(after: at)...]), processID > 0
        {
            return Directory(
                label: parts[0], path: String(parts[1][..<at]), serverProcessID: processID)
        }
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
        if let unknown = users.keys.first(where: { !labels.contains($0) }) {
            throw UsageError(message: "--user \(unknown): no such NAME")
        }
        if let reference, !labels.contains(reference) {
            throw UsageError(message: "--against \(reference): no such NAME")
        }
        if ratioLimit != nil, reference == nil { throw UsageError(message: "--at-most needs --against NAME") }
        if picturePath != nil, !labels.contains(Report.baseline) || labels.count < 2 {
            throw UsageError(message: "--svg needs native=DIR and a directory to compare with it")
        }
        let known = Workload.all.map(\.name)
        if let unknown = only.first(where: { !known.contains($0) }) {
            throw UsageError(message: "no workload \(unknown); see apphome-bench --list")
        }
    }

    /// The workloads that a run measures, and those that it cannot.
    func selection() -> (runs: [Workload], skipped: [Workload]) {
        let wanted = Workload.all.filter { only.isEmpty || only.contains($0.name) }
        if KernelCaches.canDrop { return (wanted, []) }
        return (wanted.filter { !$0.isCold }, wanted.filter(\.isCold))
    }

    func roundCount(of workload: Workload) -> Int { workload.isOnTree ? treeRoundCount : roundCount }
}
