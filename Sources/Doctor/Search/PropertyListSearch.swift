internal import Foundation
internal import PropertyLists

/// Finds containers in the values of a property list, with the keys that lead there: in texts, in keys, and
/// in data, which may be a property list or an archive of its own and is searched as bytes.
struct PropertyListSearch {
    struct Match {
        let id: ContainerID
        /// The keys, and the places in arrays, joined by dots.
        let keys: String
    }

    private let search: ContainerSearch
    private(set) var matches: [Match] = []

    /// What is parsed: as values it takes several times as much memory.
    static let limitBytes = 4 << 20
    private static let depthLimit = 512
    private static let keyLimit = 200

    init(_ search: ContainerSearch) { self.search = search }

    /// - Returns: false where the bytes are no property list within bounds.
    mutating func run(over bytes: [UInt8]) -> Bool {
        guard let dictionary = try? PropertyList.dictionary(bytes) else { return false }
        look(at: dictionary, "", depth: 0)
        return true
    }

    private mutating func look(at value: Any, _ keys: String, depth: Int) {
        guard depth < Self.depthLimit, matches.count < FileSearch.mostMatches else { return }
        func below(_ key: String) -> String {
            String((keys.isEmpty ? key : keys + "." + key).prefix(Self.keyLimit))
        }
        switch value {
        case var text as String: text.withUTF8 { look(through: UnsafeRawBufferPointer($0), keys) }
        case let data as Data: data.withUnsafeBytes { look(through: $0, keys) }
        case let values as [Any]:
            for (index, value) in values.enumerated() { look(at: value, below("\(index)"), depth: depth + 1) }
        case let values as [String: Any]:
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                look(at: key, below(key), depth: depth + 1)
                look(at: value, below(key), depth: depth + 1)
            }
        default: break
        }
    }

    private mutating func look(through bytes: UnsafeRawBufferPointer, _ keys: String) {
        var found: [ContainerID] = []
        search.run(over: bytes) { match in
            found.append(match.id)
            return found.count < FileSearch.mostMatches
        }
        for id in found where !matches.contains(where: { $0.id == id && $0.keys == keys }) {
            matches.append(Match(id: id, keys: keys))
        }
    }
}
