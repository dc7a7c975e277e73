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

/// The latest names of which a kernel may remember that nothing has them: once something has one that differs
/// by case, the kernel has to ask again.
struct RememberedAbsences {
    private struct Absence {
        let directory: InodeNumber
        let mark: NameMark
        let name: [CChar]
    }

    /// The latest of those that the first bits of their marks bring together, the latest one last: names that
    /// differ by case are. Made when the first name comes.
    private var places: [[Absence]] = []
    private static let count = 256
    private static let mostInOne = 4

    mutating func add(_ name: FileName, _ mark: NameMark, in directory: InodeNumber) {
        if places.isEmpty { places = Array(repeating: [], count: Self.count) }
        let place = place(of: mark)
        if places[place].contains(where: { $0.mark == mark && $0.directory == directory }) { return }
        if places[place].count >= Self.mostInOne { places[place].removeFirst() }
        places[place].append(Absence(directory: directory, mark: mark, name: name.terminated))
    }

    /// A name has come into a directory: it is absent no more.
    /// - Returns: the names that are absent there and differ from it by case alone.
    mutating func take(_ mark: NameMark, in directory: InodeNumber) -> [[CChar]] {
        if places.isEmpty { return [] }
        let place = place(of: mark)
        func isTaken(_ absence: Absence) -> Bool {
            absence.directory == directory && absence.mark.isFolded(as: mark)
        }
        guard places[place].contains(where: isTaken) else { return [] }
        let names = places[place].filter { isTaken($0) && $0.mark != mark }.map(\.name)
        places[place].removeAll(where: isTaken)
        return names
    }

    private func place(of mark: NameMark) -> Int { Int(mark.bits >> 56) }
}
