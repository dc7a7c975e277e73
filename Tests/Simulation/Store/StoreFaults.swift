/// How a world's store and network misbehave, in thousandths of all requests; SYNC.md 7 has the figures.
struct StoreFaults {
    var lostRequest = 60
    var lostReply = 60
    var lateTwin = 40
    var duplicate = 40
    var failedRead = 50
    var undecided = 15
    var skewed = 10
    var unavailable = 15
    var wrongBytes = 10
    /// Of the late twins, those that come only after days, up to 40.
    var veryLate = 150
    /// Of the listings, those that are of a while ago.
    var oldListing = 0

    static let none = StoreFaults(
        lostRequest: 0, lostReply: 0, lateTwin: 0, duplicate: 0, failedRead: 0, undecided: 0, skewed: 0,
        unavailable: 0, wrongBytes: 0, veryLate: 0, oldListing: 0)
}

/// What becomes of one request.
enum Fate {
    case answered
    case requestLost
    case replyLost
    /// It comes to the store when its sender has given it up.
    case late(UInt64)
    /// The network sent it twice; the second answer is the one that comes.
    case twice
    case undecided
    case skewed
    case unavailable
    case wrongBytes
}

extension StoreFaults {
    func fate(of kind: RequestKind, _ random: inout WorldRandom) -> Fate {
        var roll = random.below(1000)
        func hits(_ chance: Int) -> Bool {
            roll -= chance
            return roll < 0
        }
        if hits(lostRequest) { return .requestLost }
        if hits(unavailable) { return .unavailable }
        if hits(skewed) { return .skewed }
        switch kind {
        case .put, .putIfAbsent, .delete:
            if hits(lostReply) { return .replyLost }
            if hits(lateTwin) { return .late(delay(&random)) }
            if hits(duplicate) { return .twice }
            if kind == .putIfAbsent, hits(undecided) { return .undecided }
        case .get, .head, .list:
            if hits(failedRead) { return .unavailable }
            if kind == .get, hits(wrongBytes) { return .wrongBytes }
        }
        return .answered
    }

    func listingAge(_ random: inout WorldRandom) -> UInt64 {
        guard oldListing > 0, random.chance(perMille: oldListing) else { return 0 }
        return random.nanoseconds(in: 1..<SharedStore.oldestListing)
    }

    private func delay(_ random: inout WorldRandom) -> UInt64 {
        let second: UInt64 = 1_000_000_000
        return random.chance(perMille: veryLate)
            ? random.nanoseconds(in: 3600 * second..<40 * 86_400 * second)
            : random.nanoseconds(in: second..<90 * second)
    }
}

enum RequestKind {
    case putIfAbsent, put, get, head, list, delete
}
