internal import Posix
internal import SandboxRules

/// What tells a name of a directory from its others, in eight bytes: 40 bits that all its spellings have in
/// common, those of another case among them, and 24 of its bytes.
struct NameMark: Equatable {
    /// Never 0.
    let bits: UInt64

    init(_ name: FileName) {
        let folded = NamePolicy.foldedHash(name.bytes) & ~Self.exactMask
        let exact = NamePolicy.exactHash(name.bytes) & Self.exactMask
        // All bits of the second part mean many names.
        self.init(bits: folded | (exact == 0 || exact == Self.exactMask ? 1 : exact))
    }

    fileprivate init(bits: UInt64) { self.bits = bits }

    fileprivate static let exactMask: UInt64 = 0xff_ffff

    /// Stands for any number of names that differ only by case; it is never removed.
    fileprivate var ofMany: NameMark { NameMark(bits: bits | Self.exactMask) }

    /// What the names that are one under folding have in common, and hardly any other.
    var foldedBits: UInt64 { bits & ~Self.exactMask }

    /// Whether the names are one under folding, as far as the hash says.
    func isFolded(as other: NameMark) -> Bool { foldedBits == other.foldedBits }
}

/// The marks of a directory's names: 11 to 21 bytes a name.
///
/// One small table, then others, each twice as large as the one before: growing moves little, so no name that
/// is added waits for all the others.
struct NameSet {
    private var tables: [Table] = []
    private(set) var sizeBytes = 0

    /// So many names that differ only by case are told apart.
    private static let mostVariants = 16

    /// Whether a name is there that differs from the marked one by case, or by its Unicode spelling.
    func holdsVariant(of mark: NameMark) -> Bool {
        tables.contains { $0.variants(of: mark).others > 0 }
    }

    /// Without effect where the name is there.
    mutating func insert(_ mark: NameMark) {
        var others = 0
        for table in tables {
            let found = table.variants(of: mark)
            if found.position != nil || found.hasMany { return }
            others += found.others
        }
        insertNew(others < Self.mostVariants ? mark : mark.ofMany)
    }

    private mutating func insertNew(_ mark: NameMark) {
        if let roomy = tables.firstIndex(where: { !$0.isFull }) { return tables[roomy].insert(mark) }
        var table = Table(capacity: tables.last.map { $0.capacity * 2 } ?? Table.smallest)
        table.insert(mark)
        if tables.count == 1, table.capacity <= Table.largestMoved {
            for mark in tables[0].marks { table.insert(mark) }
            tables = []
        }
        tables.append(table)
        sizeBytes = tables.reduce(0) { $0 + $1.sizeBytes }
    }

    /// In every table: what came while a directory was read may stand in two.
    mutating func remove(_ mark: NameMark) {
        for index in tables.indices {
            guard let position = tables[index].variants(of: mark).position else { continue }
            tables[index].remove(at: position)
        }
    }

    /// Takes the names of another set of the same directory over, at no cost for each.
    mutating func join(_ other: consuming NameSet) {
        sizeBytes += other.sizeBytes
        // The largest is last: it decides how large the next one is.
        tables = (tables + other.tables).sorted { $0.capacity < $1.capacity }
    }
}

/// One of a set's tables.
private struct Table {
    private var slots: HashSlots

    static let smallest = 16
    /// Up to this capacity a table is moved into a larger one: that takes some 30 us.
    static let largestMoved = 4096

    /// - Parameter capacity: a power of two.
    init(capacity: Int) { slots = HashSlots(capacity: capacity) }

    var capacity: Int { slots.capacity }
    var sizeBytes: Int { slots.sizeBytes }
    var isFull: Bool { slots.isFull }
    var marks: some Sequence<NameMark> { slots.all.map { NameMark(bits: $0) } }

    /// Where the mark is, and how many others are there that only case tells from it.
    func variants(of mark: NameMark) -> (position: Int?, others: Int, hasMany: Bool) {
        var found: (position: Int?, others: Int, hasMany: Bool) = (nil, 0, false)
        var place = slots.home(of: mark.bits)
        while slots[place] != 0 {
            let other = NameMark(bits: slots[place])
            if other == mark {
                found.position = place
            } else if other.isFolded(as: mark) {
                found.others += 1
                found.hasMany = found.hasMany || other == other.ofMany
            }
            place = slots.place(behind: place)
        }
        return found
    }

    /// - Precondition: it is not full, and does not hold the mark.
    mutating func insert(_ mark: NameMark) { slots.insert(mark.bits) }

    mutating func remove(at position: Int) { slots.remove(at: position) }
}
