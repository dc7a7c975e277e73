internal import Posix

/// Which paths somebody means: `?` is one character of a name, `*` any of one, `**` any folders. Without a
/// slash it is of a name at any depth. What it fits, it fits with all that lies below.
public struct Glob: Sendable, Equatable {
    /// Of a pattern, in characters.
    static let lengthLimit = 1000

    public let pattern: String
    private let parts: [Part]

    private enum Part: Sendable, Equatable {
        /// `**`
        case anyFolders
        /// Characters, not bytes: an accent may be written in two ways.
        case name([Character])
    }

    /// - Returns: nil where it is empty or too long.
    public init?(_ pattern: String) {
        guard pattern.count <= Self.lengthLimit else { return nil }
        let names = pattern.pathParts
        guard !names.isEmpty else { return nil }
        self.pattern = pattern
        let parts = names.map { $0 == "**" ? Part.anyFolders : .name(Array($0)) }
        self.parts = pattern.hasSlash ? parts : [.anyFolders] + parts
    }

    public func matches(_ path: String) -> Bool {
        let names = path.pathParts.map(Array.init)
        // Which numbers of parts fit what was met so far: two `**` may share a path in many ways.
        var fits = passed(Set([0]))
        if fits.contains(parts.count) { return true }
        for name in names {
            var next: Set<Int> = []
            for index in fits where index < parts.count {
                switch parts[index] {
                case .anyFolders:
                    if index + 1 == parts.count { return true }
                    next.insert(index)
                case .name(let pattern): if Self.fits(name, pattern) { next.insert(index + 1) }
                }
            }
            fits = passed(next)
            if fits.contains(parts.count) { return true }
        }
        return false
    }

    /// `**` fits no folder as well; but at the end, where it is of what lies in a folder and not of that.
    private func passed(_ reached: Set<Int>) -> Set<Int> {
        var all = reached
        for index in parts.indices.dropLast() where all.contains(index) && parts[index] == .anyFolders {
            all.insert(index + 1)
        }
        return all
    }

    /// A star that came too short takes one character more: no other star has to be tried again for that.
    private static func fits(_ name: [Character], _ pattern: [Character]) -> Bool {
        var (at, place) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while at < name.count {
            if place < pattern.count, pattern[place] == "*" {
                star = (place, at)
                place += 1
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[at] {
                at += 1
                place += 1
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (place, at) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
