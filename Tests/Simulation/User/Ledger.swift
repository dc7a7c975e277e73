internal import CloudSync
internal import SyncLog

/// What the apps were promised: each content whose write was acknowledged, and whether somebody who saw it
/// put another in its place or took it away.
final class Ledger {
    struct Entry {
        let device: Int
        let path: String
        let time: UInt64
        /// The devices on which somebody who saw it replaced or removed it, and when. What a power failure or
        /// a backup takes back of that on one of them is still so on the others.
        var supersededOn: [Int: UInt64] = [:]
        /// Of a content that was written again there: when it had been superseded, and when it was written.
        var rewrittenOn: [Int: (superseded: UInt64, written: UInt64)] = [:]
        /// It was not fsynced and the power failed, or its device was set back to before it: nobody is owed
        /// it.
        var isForgiven = false
        /// The devices on which a person took it from its names.
        var partings: [Int: Parting] = [:]
    }

    enum Parting: Int, Comparable {
        case none
        case oneName
        /// From the last that was left, after sync had taken others.
        case allNames

        static func < (left: Parting, right: Parting) -> Bool { left.rawValue < right.rawValue }
    }

    private(set) var entries: [Token: Entry] = [:]
    /// Since when a flag keeps a content on a device (I13), half written too. A copy of that device, or what
    /// it is set back to, may hold the same without one.
    private(set) var flaggedSince: [Token: [Int: UInt64]] = [:]
    /// Of which bytes have left a device.
    private var sent: Set<Token> = []
    private var tokens: [ContentHash: Token] = [:]
    private var hashes: [Token: ContentHash] = [:]
    private var lastNumber: UInt64 = 0

    var now: () -> UInt64 = { 0 }
    /// For who reads along.
    var tell: (@autoclosure () -> String) -> Void = { _ in }

    func makeToken() -> Token {
        lastNumber += 1
        return Token(number: lastNumber)
    }

    func acknowledge(_ token: Token, _ bytes: [UInt8], device: Int, path: String, time: UInt64) {
        let hash = ContentHash(of: bytes)
        tokens[hash] = token
        hashes[token] = hash
        if entries[token] != nil {
            // What others did to their own copies stands: equal contents of an item join, and an edit that is
            // still to be sent of one replaces them all (SYNC.md 3).
            if let done = entries[token]?.supersededOn.removeValue(forKey: device) {
                entries[token]?.rewrittenOn[device] = (done, time)
            }
            entries[token]?.isForgiven = false
        } else {
            entries[token] = Entry(device: device, path: path, time: time)
        }
    }

    func hash(of token: Token) -> ContentHash? { hashes[token] }
    func token(of hash: ContentHash) -> Token? { tokens[hash] }
    /// For people.
    func name(of hash: ContentHash) -> String {
        tokens[hash].map { "\($0.number)" } ?? String(hash.high >> 96, radix: 16)
    }

    func supersede(_ token: Token, on device: Int) {
        tell("    content \(token.number) is replaced or removed on device \(device)")
        if entries[token]?.supersededOn[device] == nil { entries[token]?.supersededOn[device] = now() }
    }
    /// It is on a disk again, whole: a change that is undone leaves it owed. What was done before `time` is
    /// not undone.
    func comesBack(_ token: Token, on device: Int, since time: UInt64) {
        if let done = entries[token]?.supersededOn[device], done < time { return }
        tell("    content \(token.number) is back on device \(device)")
        entries[token]?.supersededOn[device] = nil
        entries[token]?.isForgiven = false
    }
    func superseded(on device: Int) -> Set<Token> {
        Set(entries.filter { $0.value.supersededOn[device] != nil }.keys)
    }
    func part(_ token: Token, on device: Int, from names: Parting) {
        let most = max(names, parting(token, on: device))
        entries[token]?.partings[device] = most
    }
    func parting(_ token: Token, on device: Int) -> Parting {
        entries[token]?.partings[device] ?? .none
    }

    /// What a device's person did is done on its copy as well, which may be the first to tell it.
    func copy(_ device: Int, as copy: Int) {
        for (token, entry) in entries {
            entries[token]?.supersededOn[copy] = entry.supersededOn[device]
            part(token, on: copy, from: parting(token, on: device))
        }
    }

    func forgive(_ token: Token) {
        tell("    content \(token.number) is owed to nobody")
        entries[token]?.isForgiven = true
    }

    func flag(_ token: Token, on device: Int, at time: UInt64) {
        if flaggedSince[token]?[device] == nil { flaggedSince[token, default: [:]][device] = time }
    }
    func unflag(_ token: Token, on device: Int) { flaggedSince[token]?[device] = nil }

    /// What was done on a device since a time is undone, as far as `isBack` says that the content is there
    /// again. What was written again since then is superseded as it was.
    /// - Parameter before: what had been done until then: it is so again, whatever came of it meanwhile.
    func undo(
        on device: Int, since time: UInt64, keeping before: Set<Token>, _ isBack: (Token) -> Bool
    ) {
        for token in before { supersede(token, on: device) }
        for (token, entry) in entries where entry.supersededOn[device] == nil {
            guard let rewritten = entry.rewrittenOn[device], rewritten.written >= time else { continue }
            entries[token]?.supersededOn[device] = rewritten.superseded
        }
        for (token, entry) in entries where !before.contains(token) {
            guard entry.supersededOn[device] != nil, isBack(token) else { continue }
            comesBack(token, on: device, since: time)
        }
    }

    /// A request with these bytes leaves a device.
    /// - Returns: whether they should have stayed: flagged there before any of them was sent. What a check of
    ///   the flag in the same moment may miss is granted, and so is what a device may also hold unflagged.
    func send(_ token: Token, from device: Int, at time: UInt64) -> Bool {
        if sent.contains(token) { return false }
        if let since = flaggedSince[token]?[device], time > since + 20_000_000, !token.isCommon {
            return true
        }
        sent.insert(token)
        return false
    }

    func isOwed(_ token: Token) -> Bool {
        entries[token].map { $0.supersededOn.isEmpty && !$0.isForgiven } ?? false
    }

    /// Contents that have to be somewhere.
    var owed: [Token] {
        entries.filter { $0.value.supersededOn.isEmpty && !$0.value.isForgiven }.keys.sorted()
    }
}
