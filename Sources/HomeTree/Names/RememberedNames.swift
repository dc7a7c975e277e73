internal import Posix

/// What stood in the place of names that were missed for their case. The same mistake again reads no
/// directory where that is still there.
struct NearMissHints {
    private struct Key: Hashable {
        let directory: InodeNumber
        let bits: UInt64
    }

    private var names: [Key: [CChar]] = [:]
    private static let most = 512

    /// The stored name, with its NUL.
    subscript(directory: InodeNumber, mark: NameMark) -> [CChar]? {
        get { names[Key(directory: directory, bits: mark.bits)] }
        set {
            if names.count >= Self.most { names = [:] }
            names[Key(directory: directory, bits: mark.bits)] = newValue
        }
    }
}

/// A name of which a kernel may remember that nothing has it.
struct AbsentName {
    let directory: InodeNumber
    let mark: NameMark
    /// With its NUL.
    let name: [CChar]
}

/// The names of which kernels may remember that nothing has them: once something has one that differs by
/// case, they have to ask again. Of more than fit in here kernels must not remember it.
struct RememberedAbsences {

    /// The latest of those that the first bits of their marks and their directories bring together, the
    /// latest one last: names of one directory that differ by case are, and one name that is looked for in
    /// many is not. Made when the first name comes.
    private var places: [[AbsentName]] = []
    private static let count = 4096
    static let mostInOne = 4

    /// - Returns: the one that made room.
    mutating func add(_ name: FileName, _ mark: NameMark, in directory: InodeNumber) -> AbsentName? {
        if places.isEmpty { places = Array(repeating: [], count: Self.count) }
        let place = place(of: mark, in: directory)
        if places[place].contains(where: { $0.mark == mark && $0.directory == directory }) { return nil }
        let isFull = places[place].count >= Self.mostInOne
        defer { places[place].append(AbsentName(directory: directory, mark: mark, name: name.terminated)) }
        return isFull ? places[place].removeFirst() : nil
    }

    /// Directories become others.
    /// - Returns: all that is absent there.
    mutating func takeAll(in directories: Set<InodeNumber>) -> [AbsentName] {
        func isTaken(_ absent: AbsentName) -> Bool { directories.contains(absent.directory) }
        var taken: [AbsentName] = []
        for place in places.indices where places[place].contains(where: isTaken) {
            taken += places[place].filter(isTaken)
            places[place].removeAll(where: isTaken)
        }
        return taken
    }

    /// A name has come into a directory: it is absent no more.
    /// - Returns: the names that are absent there and differ from it by case alone.
    mutating func take(_ mark: NameMark, in directory: InodeNumber) -> [[CChar]] {
        if places.isEmpty { return [] }
        let place = place(of: mark, in: directory)
        func isTaken(_ absence: AbsentName) -> Bool {
            absence.directory == directory && absence.mark.isFolded(as: mark)
        }
        guard places[place].contains(where: isTaken) else { return [] }
        let names = places[place].filter { isTaken($0) && $0.mark != mark }.map(\.name)
        places[place].removeAll(where: isTaken)
        return names
    }

    private func place(of mark: NameMark, in directory: InodeNumber) -> Int {
        // The golden ratio spreads numbers that follow each other.
        Int((mark.bits >> 52) ^ (UInt64(directory.rawValue) &* 0x9E37_79B9_7F4A_7C15) >> 52)
    }
}
