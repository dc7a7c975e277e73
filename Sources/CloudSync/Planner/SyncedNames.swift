package import SyncLog

/// The names that a directory's synced items have, by their inodes: of very many, looked up for each name
/// that lies there.
package struct SyncedNames: Equatable, Sendable {
    private var names: [UInt64: NormalizedName] = [:]
    /// Of files that have several names there.
    private var others: [UInt64: Set<NormalizedName>] = [:]

    package init() {}

    package mutating func add(_ name: NormalizedName, of inode: UInt64) {
        if let first = names.updateValue(name, forKey: inode) { others[inode, default: []].insert(first) }
    }

    /// - Parameter bytes: of a name, in whatever normal form.
    func has(_ bytes: UnsafeRawBufferPointer, of inode: UInt64) -> Bool {
        guard let name = names[inode] else { return false }
        return name.isSpelled(bytes) || others[inode]?.contains { $0.isSpelled(bytes) } ?? false
    }
}
