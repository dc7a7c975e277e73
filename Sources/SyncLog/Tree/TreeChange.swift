/// What one commit changed, so that nobody has to look for it.
package struct TreeChange: Equatable, Sendable {
    /// Rows that were written or removed.
    package var nodes: Set<FileID> = []
    /// Items that were merged into another: every later word about the key is about the value.
    package var merged: [FileID: FileID] = [:]
    /// Contents that items no longer have, and that readers may still ask for.
    package var retained: [RetainedContent] = []
    /// Items that left the cloud.
    package var withdrawn: Set<FileID> = []
    /// Keys that got another value, or none, in a key-value store's log.
    package var keys: Set<KeyName> = []
    /// The batch was a late twin of one that had taken effect, and did nothing.
    package var isTwin = false

    /// Adds a merge that came after the others: what was merged into this item goes on with it.
    mutating func add(merged file: FileID, into target: FileID) {
        for (earlier, now) in merged where now == file { merged[earlier] = target }
        merged[file] = target
    }

    /// Adds what a later commit changed.
    package mutating func add(_ later: TreeChange) {
        nodes.formUnion(later.nodes)
        for (file, target) in later.merged { add(merged: file, into: target) }
        retained += later.retained
        withdrawn.formUnion(later.withdrawn)
        keys.formUnion(later.keys)
    }
}
