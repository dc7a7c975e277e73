internal import FuseKit
internal import HomeTree
internal import Posix
internal import SystemPackage

/// The directories that are being listed in one view.
public final class OpenDirectories: Sendable {
    private struct State {
        /// Listed without being opened; what is left half-read goes when there are too many.
        var listed: [NodeKey: Listed] = [:]
        /// Of the listing that begins next.
        var age: UInt64 = 0
    }

    private struct Listed {
        let reader: DirectoryReader
        /// Of the inode: its number may be another directory's by now.
        let generation: UInt64
        let age: UInt64
    }

    private let opened = OpenNumbers<DirectoryReader>()
    private let state = Lock(State(), rank: .leaf)
    private static let listedLimit = 64

    func add(_ reader: DirectoryReader) -> HandleKey { opened.add(reader) }

    func remove(_ key: HandleKey) { opened.remove(key) }

    /// The reader of a directory: the one that was opened as `key`, or for number 0 the node's own.
    /// - Throws: EBADF for a number that is not open; what opening answers.
    func reader(_ key: HandleKey, of node: NodeKey, in tree: HomeTree) throws(Errno) -> DirectoryReader {
        if key.rawValue == 0 { return try reader(of: node, in: tree) }
        guard let reader = opened[key] else { throw .badFileDescriptor }
        return reader
    }

    private func reader(of node: NodeKey, in tree: HomeTree) throws(Errno) -> DirectoryReader {
        let generation = tree.generation(of: InodeNumber(node))
        let known = state.withLock { $0.listed[node] }
        if let known, known.generation == generation { return known.reader }
        let reader = try tree.openDirectory(InodeNumber(node))
        // What is replaced or dropped closes its descriptor after the lock.
        _ = state.withLock { state -> [Listed?] in
            let replaced = state.listed.updateValue(
                Listed(reader: reader, generation: generation, age: state.age), forKey: node)
            state.age += 1
            guard state.listed.count > Self.listedLimit,
                let oldest = state.listed.min(by: { $0.value.age < $1.value.age })
            else { return [replaced] }
            return [replaced, state.listed.removeValue(forKey: oldest.key)]
        }
        return reader
    }

    /// To be called when a listing of `node` has come to its end.
    func end(_ key: HandleKey, of node: NodeKey) {
        if key.rawValue == 0 { _ = state.withLock { $0.listed.removeValue(forKey: node) } }
    }
}
