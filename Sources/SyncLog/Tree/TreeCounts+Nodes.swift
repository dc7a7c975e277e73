extension Node {
    /// A live item with conflict versions.
    package var isConflict: Bool { isLive && !versions.isEmpty }
}

extension TreeCounts {
    /// Counts a row that was written, over an old one or none, or removed.
    package mutating func replace(_ old: Node?, by new: Node?) {
        if let old { count(old, by: &-) }
        if let new { count(new, by: &+) }
    }

    // Wrapping: what is subtracted was added before, and sizes come from outside.
    private mutating func count(_ node: Node, by change: (UInt64, UInt64) -> UInt64) {
        switch node.state {
        case .deleted: tombstones = change(tombstones, 1)
        case .withdrawn: withdrawn = change(withdrawn, 1)
        case .live:
            if node.isDirectory {
                directories = change(directories, 1)
            } else {
                documents = change(documents, 1)
            }
            if !node.versions.isEmpty { conflicts = change(conflicts, 1) }
            sizeBytes = change(sizeBytes, node.contentBytes)
        }
    }
}

extension Node {
    fileprivate var contentBytes: UInt64 {
        versions.reduce(current?.content.sizeBytes ?? 0) { $0 &+ $1.content.sizeBytes }
    }
}

extension Content {
    /// Bytes of a file; 0 for everything else.
    package var sizeBytes: UInt64 {
        switch self {
        case .file(let file): file.sizeBytes
        case .directory, .symlink: 0
        }
    }
}
