import TestKit

@testable import CloudSync
@testable import SyncLog

/// Writes the operations that a device may say, from what its tree shows and what its disk holds.
struct ModelAuthor {
    enum Choice: CaseIterable {
        case create, edit, move, delete, withdraw, resolve, relocate, setAttributes, endHistory
    }

    let tree: any TreeStorage
    let shape: ReplayModel.Shape
    /// What is on this disk, ascending.
    let files: [FileID]
    private(set) var seenDirectories: [FileID] = []

    init(tree: any TreeStorage, shape: ReplayModel.Shape, files: [FileID]) {
        self.tree = tree
        self.shape = shape
        self.files = files
    }

    /// None where the choice fell on something that cannot be done.
    mutating func write(
        _ revision: Revision, device: ModelDevice, _ random: inout SeededRandom
    ) throws -> [Operation] {
        switch choice(&random) {
        case .create: return [try creation(revision, &random)]
        case .edit: return try edit(device, &random)
        case .move: return try move(device, &random)
        case .delete: return try deletion(device, &random)
        case .withdraw: return try withdrawal(device, &random)
        case .resolve: return try resolution(&random)
        case .relocate: return relocation(&random)
        case .endHistory: return try endedHistory(&random)
        case .setAttributes:
            return random.pick(files).map { [.setAttributes(file: $0, attributes(&random))] } ?? []
        }
    }

    private func choice(_ random: inout SeededRandom) -> Choice {
        var left = random.below(shape.weights.values.reduce(0, +))
        for choice in Choice.allCases {
            left -= shape.weights[choice] ?? 0
            if left < 0 { return choice }
        }
        return .create
    }

    // MARK: What operations hold
    private func attributes(_ random: inout SeededRandom) -> Attributes {
        Attributes(mode: random.chance(50) ? 0o644 : 0o600, modified: Int64(random.below(1000)))
    }

    private func content(_ random: inout SeededRandom) -> Content {
        if random.chance(15) { return .symlink(target: [UInt8(random.below(2))]) }
        return ModelContent.file(random.below(shape.contents), locator: UInt64(random.below(4)))
    }

    private func directory(_ random: inout SeededRandom) throws -> FileID {
        let directories = try files.filter { try tree.item($0)?.isDirectory ?? false }
        return random.pick(directories + [.root]) ?? .root
    }

    private func name(_ random: inout SeededRandom) -> String { random.pick(shape.names) ?? "a" }

    // MARK: Operations
    private func endedHistory(_ random: inout SeededRandom) throws -> [Operation] {
        let ended = try files.compactMap { file -> EndedHistory? in
            let contents = try tree.history(of: tree.resolve(file)).flatMap(\.version.revisions)
            return contents.isEmpty || random.chance(50) ? nil : EndedHistory(file: file, contents: contents)
        }
        return ended.isEmpty ? [] : [.endHistory(ended)]
    }

    private func creation(_ revision: Revision, _ random: inout SeededRandom) throws -> Operation {
        let file = FileID(
            bits: revision.device.bits << 64 | UInt128(revision.n) << 16 | UInt128(revision.index + 1))
        let content = random.chance(shape.directoryChance) ? .directory : content(&random)
        let parent = try directory(&random)
        return .create(
            Creation(
                file: file, parent: parent, name: name(&random), content: content,
                attributes: attributes(&random)))
    }

    private func edit(_ device: ModelDevice, _ random: inout SeededRandom) throws -> [Operation] {
        guard let file = random.pick(files), let base = device.synced(file)?.revision else { return [] }
        let node = try tree.item(file)
        return [
            .edit(
                Edit(
                    file: file, base: base, content: content(&random), attributes: attributes(&random),
                    parent: node?.parent ?? .root, name: node?.wantedName ?? name(&random)))
        ]
    }

    private func move(_ device: ModelDevice, _ random: inout SeededRandom) throws -> [Operation] {
        guard let file = random.pick(files) else { return [] }
        let parent = try directory(&random)
        return [.move(file: file, parent: parent, name: name(&random))]
    }

    /// The revisions of what is on this disk and, only if that is the current content, the versions that the
    /// tree lists too (SYNC.md 3).
    private func seenContents(of file: FileID, _ device: ModelDevice) throws -> [Revision] {
        guard let revision = device.synced(file)?.revision else { return [] }
        guard let node = try tree.item(file) else { return [revision] }
        if node.current?.revisions.contains(revision) ?? false { return node.contents.flatMap(\.revisions) }
        let version = node.versions.first { $0.revisions.contains(revision) }
        return version?.revisions ?? [revision]
    }

    private mutating func deletion(
        _ device: ModelDevice, _ random: inout SeededRandom
    ) throws -> [Operation] {
        guard let file = random.pick(files), let place = device.synced(file)?.place else { return [] }
        if let node = try tree.item(file), node.isDirectory { seenDirectories += [node.id] + node.aliases }
        return [
            .delete(Deletion(file: file, place: place, contents: try seenContents(of: file, device)))
        ]
    }

    private func withdrawal(_ device: ModelDevice, _ random: inout SeededRandom) throws -> [Operation] {
        guard let file = random.pick(files) else { return [] }
        return [.withdraw(file: file, contents: try seenContents(of: file, device))]
    }

    private func resolution(_ random: inout SeededRandom) throws -> [Operation] {
        let conflicts = try tree.conflicts(after: nil, limit: .max)
        guard let node = random.pick(conflicts), let version = random.pick(node.contents),
            let keep = random.pick(version.revisions)
        else { return [] }
        let names = node.contents.flatMap(\.revisions)
        return [.resolve(Resolution(file: node.id, keep: keep, contents: names))]
    }

    private func relocation(_ random: inout SeededRandom) -> [Operation] {
        let chunk = ModelContent.hash(random.below(shape.contents))
        return [.relocate([Relocation(chunk: chunk, locator: .object(random.next() % 8))])]
    }
}

/// Contents that are known by a number.
enum ModelContent {
    static func hash(_ number: Int) -> ContentHash { ContentHash(high: 7, low: UInt128(number)) }

    /// A file of one chunk; number 0 is the empty file.
    static func file(_ number: Int, locator: UInt64 = 0) -> Content {
        let hash = hash(number)
        let size = UInt32(number)
        let chunks = size == 0 ? [] : [Chunk(hash: hash, sizeBytes: size, locator: .object(locator))]
        return .file(FileContent(hash: hash, sizeBytes: UInt64(size), chunks: chunks))
    }
}
