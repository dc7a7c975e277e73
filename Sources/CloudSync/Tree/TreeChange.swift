/// What one commit changed, so that nobody has to look for it.
public struct TreeChange: Equatable, Sendable {
    /// Rows that were written or removed.
    public var nodes: Set<FileID> = []
    /// Items that were merged into another: every later word about the key is about the value.
    public var merged: [FileID: FileID] = [:]
    /// Contents that items no longer have, and that readers may still ask for.
    public var retained: [RetainedContent] = []
    /// Items that left the cloud.
    public var withdrawn: Set<FileID> = []
    /// The batch was a late twin of one that had taken effect, and did nothing.
    public var isTwin = false

    public init() {}

    /// Adds what a later commit changed.
    public mutating func add(_ later: TreeChange) {
        nodes.formUnion(later.nodes)
        for (file, target) in merged {
            if let final = later.merged[target] { merged[file] = final }
        }
        merged.merge(later.merged) { _, new in new }
        retained += later.retained
        withdrawn.formUnion(later.withdrawn)
    }
}
