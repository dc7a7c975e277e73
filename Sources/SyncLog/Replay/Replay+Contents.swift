extension Version {
    package func isSame(as other: Version) -> Bool { content.isSame(as: other.content) }
}

extension Content {
    /// Equal bytes, or one target: never a conflict.
    package func isSame(as other: Content) -> Bool {
        switch (self, other) {
        case (.file(let file), .file(let otherFile)): file.hash == otherFile.hash
        case (.symlink(let target), .symlink(let otherTarget)): target == otherTarget
        case (.directory, _), (.file, _), (.symlink, _): false
        }
    }
}

extension Replay {
    /// A content is named only if its whole set is: who names a part of it has not seen who else made it.
    func isNamed(_ version: Version, by names: Set<Revision>) -> Bool {
        rules.hold(.onlyWholeSetsAreNamed)
            ? version.revisions.allSatisfy(names.contains) : version.revisions.contains(where: names.contains)
    }

    func isSame(_ left: Version, _ right: Version) -> Bool {
        rules.hold(.equalContentsJoin) && left.isSame(as: right)
    }

    /// Adds a content that nobody replaced anything with: it joins its equal, or is a version.
    func join(_ version: Version, to node: inout Node) throws {
        if let current = node.current, isSame(current, version) {
            node.current = try union(current, version, of: node.id)
        } else if let index = node.versions.firstIndex(where: { isSame($0, version) }) {
            node.versions[index] = try union(node.versions[index], version, of: node.id)
        } else if node.current == nil {
            node.current = version
        } else {
            let index = node.versions.firstIndex { version.position < $0.position }
            node.versions.insert(version, at: index ?? node.versions.endIndex)
        }
    }

    /// One content with both sets. A revision that no withdraw has named makes it live again.
    func union(_ version: Version, _ other: Version, of file: FileID) throws -> Version {
        var union = version
        union.revisions = Set(version.revisions).union(other.revisions).sorted()
        if let since = version.withdrawn {
            union.withdrawn = nil
            try storage.removeExpiry(
                Expiry(kind: .withdrawn, since: since, file: file, position: version.position))
        }
        return union
    }

    /// Lets a content go into history.
    mutating func retire(_ version: Version, of file: FileID) throws {
        var content = RetainedContent(file: file, version: version, since: now)
        if let since = version.withdrawn {
            // The first withdraw that named it started its clock.
            content.since = since
            content.version.withdrawn = nil
            try storage.removeExpiry(
                Expiry(kind: .withdrawn, since: since, file: file, position: version.position))
        }
        try storage.setRetained(content)
        try addReferences(of: version, retainedSince: content.since)
        try storage.addExpiry(content.expiry)
        change.retained.append(content)
    }
}
