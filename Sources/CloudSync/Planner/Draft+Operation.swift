package import SyncLog

extension Draft {
    /// Whether the engine has to read bytes for it.
    package var needsBytes: Bool {
        switch source {
        case .file, .displaced: true
        case .directory, .symlink, nil: false
        }
    }

    /// The operation to send.
    /// - Parameter bytes: what was read, where `needsBytes`.
    /// - Returns: nil where nothing is to be told: the bytes are those that the cloud has, with their
    ///   attributes; or bytes are needed and there are none.
    package func operation(_ bytes: FileContent? = nil) -> Operation? {
        switch kind {
        case .create: content(bytes).map { .create(creation($0)) }
        case .edit(let base, let known, let agreed): edit(content(bytes), base, known, agreed)
        case .move: .move(file: file, parent: parent, name: name)
        case .park: .move(file: file, parent: .root, name: Self.parkingName(of: file))
        case .setAttributes: .setAttributes(file: file, attributes)
        case .delete(let place, let contents):
            .delete(Deletion(file: file, place: place, contents: contents))
        case .withdraw(let contents): .withdraw(file: file, contents: contents)
        case .refresh, .forget: nil
        }
    }

    /// Two items never share it, and a person never sees it: the next operation of the same commit moves it
    /// on.
    static func parkingName(of file: FileID) -> String { String(file.bits, radix: 16) }

    private func edit(
        _ content: Content?, _ base: Revision, _ known: ContentHash?, _ agreed: Attributes
    ) -> Operation? {
        guard let content else { return nil }
        if case .file(let bytes) = content, bytes.hash == known {
            guard !attributes.isEqual(to: agreed, of: .file) else { return nil }
            return .setAttributes(file: file, attributes)
        }
        return .edit(
            Edit(
                file: file, base: base, content: content, attributes: attributes, parent: parent, name: name))
    }

    private func creation(_ content: Content) -> Creation {
        Creation(file: file, parent: parent, name: name, content: content, attributes: attributes)
    }

    private func content(_ bytes: FileContent?) -> Content? {
        switch source {
        case .directory: .directory
        case .symlink(let target): .symlink(target: target)
        case .file, .displaced: bytes.map(Content.file)
        case nil: nil
        }
    }
}

extension Attributes {
    /// Whether nothing that travels differs. A symlink has neither mode nor attributes of its own; its time
    /// is only ever set by whoever means it. A directory's time does not travel: see `HomeDisk`.
    func isEqual(to other: Attributes, of kind: LocalItem.Kind) -> Bool {
        switch kind {
        case .file: self == other
        case .directory: mode == other.mode && extended == other.extended
        case .symlink: modified == other.modified
        }
    }
}
