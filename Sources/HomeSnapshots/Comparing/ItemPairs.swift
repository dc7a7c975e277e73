/// Which item of an earlier snapshot is which one of a later snapshot.
struct ItemPairs {
    private(set) var pairs: [(old: Int, new: Int)] = []
    private(set) var added: [Int] = []
    private(set) var deleted: [Int] = []

    private let old: [SnapshotItem]
    private let new: [SnapshotItem]
    private let places: [SnapshotItem.Place: Int]
    private var partners: [Int?]
    private var isClaimed: [Bool]

    /// - Parameters: both by their places.
    init(_ old: [SnapshotItem], _ new: [SnapshotItem]) {
        self.old = old
        self.new = new
        places = Dictionary(new.enumerated().map { ($1.place, $0) }) { first, _ in first }
        partners = Array(repeating: nil, count: old.count)
        isClaimed = Array(repeating: false, count: new.count)
        pairTheUnmoved()
        pairTheRenamed()
        pairTheReplaced()
        for (index, partner) in partners.enumerated() {
            if let partner { pairs.append((index, partner)) } else { deleted.append(index) }
        }
        added = isClaimed.indices.filter { !isClaimed[$0] }
    }

    /// Where an old item would be if nothing had happened to it but to the directories that it lies in.
    func expectedPlace(of index: Int) -> SnapshotItem.Place {
        var place = old[index].place
        guard let slash = place.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return place }
        let parent = SnapshotItem.Place(group: place.group, path: String(place.path[..<slash]))
        guard let moved = directories[parent] else { return place }
        place.path = moved.path + place.path[slash...]
        place.group = moved.group
        return place
    }

    /// Where the directories of the old snapshot are now; those that have a partner.
    private var directories: [SnapshotItem.Place: SnapshotItem.Place] = [:]

    private mutating func pair(_ index: Int, _ partner: Int) {
        partners[index] = partner
        isClaimed[partner] = true
        if old[index].kind == .directory { directories[old[index].place] = new[partner].place }
    }

    /// The same item in the same place; where nothing tells items apart, whatever is there.
    private mutating func pairTheUnmoved() {
        for (index, item) in old.enumerated() {
            guard let there = places[item.place], new[there].mayBe(item) else { continue }
            guard let identity = item.identity, let other = new[there].identity else {
                pair(index, there)
                continue
            }
            if identity == other { pair(index, there) }
        }
    }

    private mutating func pairTheRenamed() {
        var free: [SnapshotItem.Identity: Int] = [:]
        for (index, item) in new.enumerated() where !isClaimed[index] {
            if let identity = item.identity { free[identity] = index }
        }
        for (index, item) in old.enumerated() where partners[index] == nil {
            guard let identity = item.identity, let there = free[identity], new[there].mayBe(item) else {
                continue
            }
            free[identity] = nil
            pair(index, there)
        }
    }

    /// A file that a save exchanges for another one stays the same file to a person.
    private mutating func pairTheReplaced() {
        for index in old.indices where partners[index] == nil {
            guard let there = places[expectedPlace(of: index)], !isClaimed[there],
                new[there].mayBe(old[index])
            else { continue }
            pair(index, there)
        }
    }
}

extension SnapshotItem {
    /// Whether a change of contents alone can make one of the other.
    fileprivate func mayBe(_ other: SnapshotItem) -> Bool {
        kind == other.kind || (kind.isFile && other.kind.isFile)
    }
}

extension SnapshotItem.Kind {
    var isFile: Bool { self == .file || self == .database }
}
