internal import HeapModule
internal import SyncLog

/// A place in a directory, as names are compared.
struct Slot: Hashable, Sendable {
    var parent: FileID
    var name: NormalizedName

    init(_ parent: FileID, _ name: String) {
        self.parent = parent
        self.name = NormalizedName(name)
    }
}

/// One item's change of place.
struct PlaceChange: Equatable, Sendable {
    var file: FileID
    /// Nil: it is new.
    var from: Slot?
    /// Nil: it goes.
    var to: Slot?

    var isMove: Bool { from != nil && to != nil }
}

/// Orders changes of places so that each name is free when it is taken, each directory is there before what
/// it gets and empty before it goes, and none is moved below itself; otherwise they keep the order in which
/// they came. Where places form a circle, one item is parked under a name of its own first.
struct PlaceOrder {
    enum Step: Equatable {
        /// The change of that index, first half: away from its place.
        case park(Int)
        case change(Int)
    }

    private struct Need {
        var dependent: Int
        var prerequisite: Int
        /// It is enough that the prerequisite left its place.
        var isForLeaving: Bool
        var isMet = false
    }

    private let changes: [PlaceChange]
    private var needs: [Need] = []
    private var needsOf: [[Int]]
    private var needsFor: [[Int]]
    private var unmet: [Int]
    private var isDone: [Bool]
    private var ready: Heap<Int> = []
    private var steps: [Step] = []

    /// - Parameter parent: the directory that an item without a change is in.
    static func sorted(
        _ changes: [PlaceChange], parent: (FileID) throws -> FileID?
    ) rethrows -> [Step] {
        var order = PlaceOrder(changes)
        try order.findNeeds(parent)
        order.run()
        return order.steps
    }

    private init(_ changes: [PlaceChange]) {
        self.changes = changes
        needsOf = Array(repeating: [], count: changes.count)
        needsFor = needsOf
        unmet = Array(repeating: 0, count: changes.count)
        isDone = Array(repeating: false, count: changes.count)
    }

    private mutating func findNeeds(_ parent: (FileID) throws -> FileID?) rethrows {
        let index = Dictionary(
            changes.indices.map { (changes[$0].file, $0) }, uniquingKeysWith: { first, _ in first })
        var leaving: [Slot: Int] = [:]
        var leavingParent: [FileID: [Int]] = [:]
        for (position, change) in changes.enumerated() {
            guard let from = change.from else { continue }
            leaving[from] = position
            leavingParent[from.parent, default: []].append(position)
        }
        for (position, change) in changes.enumerated() {
            guard let to = change.to else {
                for child in leavingParent[change.file] ?? [] { need(position, child, forLeaving: true) }
                continue
            }
            if let occupant = leaving[to] { need(position, occupant, forLeaving: true) }
            try findAncestors(of: position, from: to.parent, index, parent)
        }
    }

    private mutating func findAncestors(
        of position: Int, from directory: FileID, _ index: [FileID: Int],
        _ parent: (FileID) throws -> FileID?
    ) rethrows {
        var seen: Set<FileID> = []
        var next: FileID? = directory
        while let directory = next, directory != .root, seen.insert(directory).inserted {
            guard let ancestor = index[directory] else {
                next = try parent(directory)
                continue
            }
            need(position, ancestor, forLeaving: false)
            next = changes[ancestor].to?.parent
        }
    }

    private mutating func need(_ dependent: Int, _ prerequisite: Int, forLeaving: Bool) {
        guard dependent != prerequisite else { return }
        needsOf[dependent].append(needs.count)
        needsFor[prerequisite].append(needs.count)
        unmet[dependent] += 1
        needs.append(Need(dependent: dependent, prerequisite: prerequisite, isForLeaving: forLeaving))
    }

    private mutating func run() {
        ready = Heap(changes.indices.filter { unmet[$0] == 0 })
        var first = 0
        while true {
            while let next = ready.popMin() {
                isDone[next] = true
                steps.append(.change(next))
                meet(next, onlyLeaving: false)
            }
            while first < changes.count, isDone[first] { first += 1 }
            guard first < changes.count else { return }
            guard let blocker = blocker(from: first) else {
                // No tree makes such a circle; whatever made it is told in the order that it came in.
                for rest in changes.indices where !isDone[rest] { steps.append(.change(rest)) }
                return
            }
            steps.append(.park(blocker))
            meet(blocker, onlyLeaving: true)
        }
    }

    private mutating func meet(_ prerequisite: Int, onlyLeaving: Bool) {
        for need in needsFor[prerequisite]
        where !needs[need].isMet && (!onlyLeaving || needs[need].isForLeaving) {
            needs[need].isMet = true
            let dependent = needs[need].dependent
            unmet[dependent] -= 1
            if unmet[dependent] == 0 { ready.insert(dependent) }
        }
    }

    /// A move in a circle of needs whose leaving would open it.
    private func blocker(from start: Int) -> Int? {
        var path: [Int] = []
        var positions: [Int: Int] = [:]
        var current = start
        while positions[current] == nil {
            positions[current] = path.count
            guard let need = needsOf[current].first(where: { !needs[$0].isMet }) else { return nil }
            path.append(need)
            current = needs[need].prerequisite
        }
        return path[(positions[current] ?? 0)...]
            .first { needs[$0].isForLeaving && changes[needs[$0].prerequisite].isMove }
            .map { needs[$0].prerequisite }
    }
}
