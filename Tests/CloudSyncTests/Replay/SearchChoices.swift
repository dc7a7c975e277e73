@testable import CloudSync
@testable import SyncLog

/// Every operation that makes sense to a device whose disk shows a tree.
struct SearchChoices {
    struct Choice {
        var operation: Operation
        var seenDirectories: [FileID] = []
    }

    let tree: any TreeStorage
    let scene: ReplaySearch.Scene
    /// How many batches there are: makes ids and contents new.
    let made: UInt128
    let device: DeviceID

    func all() throws -> [Choice] {
        let live = try tree.nodes(after: nil, limit: .max).filter(\.isLive)
        let directories = [FileID.root] + live.filter(\.isDirectory).map(\.id)
        var choices: [Choice] = []
        if scene.choices.contains(.create) { choices += try creations(in: directories) }
        for node in live {
            if scene.choices.contains(.edit), let current = node.current {
                choices.append(edit(node, current))
            }
            if scene.choices.contains(.move) { choices += try moves(of: node, to: directories) }
            if scene.choices.contains(.delete) { choices += try deletion(of: node) }
            if scene.choices.contains(.withdraw) {
                choices.append(Choice(operation: try withdrawal(of: node)))
            }
            if scene.choices.contains(.resolve) { choices += resolutions(of: node) }
        }
        return choices
    }

    private var attributes: Attributes { Attributes(mode: 0o644, modified: 0) }

    private var content: Content {
        ModelContent.file(scene.contentsAreEqual ? 1 : 10 + Int(truncatingIfNeeded: made))
    }

    /// A disk has one item of a name.
    private func freeNames(in directory: FileID) throws -> [String] {
        try scene.names.filter { try tree.item(in: directory, named: $0) == nil }
    }

    private func creations(in directories: [FileID]) throws -> [Choice] {
        let file = FileID(bits: made << 8 | device.bits)
        let contents = (scene.makesFiles ? [content] : []) + (scene.makesDirectories ? [.directory] : [])
        return try directories.flatMap { directory in
            try freeNames(in: directory).flatMap { name in
                contents.map {
                    Choice(
                        operation: .create(
                            Creation(
                                file: file, parent: directory, name: name, content: $0,
                                attributes: attributes)))
                }
            }
        }
    }

    private func edit(_ node: Node, _ current: Version) -> Choice {
        Choice(
            operation: .edit(
                Edit(
                    file: node.id, base: current.revisions[0], content: content, attributes: attributes,
                    parent: node.parent, name: node.name)))
    }

    private func moves(of node: Node, to directories: [FileID]) throws -> [Choice] {
        try directories.filter { try !isBelow($0, node.id) }.flatMap { directory in
            try freeNames(in: directory).map {
                Choice(operation: .move(file: node.id, parent: directory, name: $0))
            }
        }
    }

    private func isBelow(_ directory: FileID, _ ancestor: FileID) throws -> Bool {
        var next = directory
        while next != .root, next != ancestor { next = try tree.node(next)?.parent ?? .root }
        return next == ancestor
    }

    private func deletion(of node: Node) throws -> [Choice] {
        if node.isDirectory, try tree.hasChildren(node.id) { return [] }
        let names = node.contents.flatMap(\.revisions)
        return [
            Choice(
                operation: .delete(Deletion(file: node.id, place: node.place, contents: names)),
                seenDirectories: node.isDirectory ? [node.id] + node.aliases : [])
        ]
    }

    /// Names all that lies below, for its sender holds it.
    private func withdrawal(of node: Node) throws -> Operation {
        var names: [Revision] = []
        var left = [node]
        while let next = left.popLast() {
            names += next.contents.flatMap(\.revisions)
            left += try tree.children(of: next.id)
        }
        return .withdraw(file: node.id, contents: names)
    }

    private func resolutions(of node: Node) -> [Choice] {
        guard !node.versions.isEmpty else { return [] }
        let names = node.contents.flatMap(\.revisions)
        return node.contents.map {
            Choice(operation: .resolve(Resolution(file: node.id, keep: $0.revisions[0], contents: names)))
        }
    }
}

extension ReplaySearch.Scene {
    private static let attributes = Attributes(mode: 0o755, modified: 0)

    private static func item(_ id: UInt128, in parent: UInt128 = 0, _ name: String, _ content: Content)
        -> Operation
    {
        .create(
            Creation(
                file: FileID(bits: id << 64), parent: FileID(bits: parent << 64), name: name,
                content: content, attributes: attributes))
    }

    static let all: [ReplaySearch.Scene] = [
        ReplaySearch.Scene(
            name: "files", first: [item(1, "a", ModelContent.file(1))]),
        ReplaySearch.Scene(
            name: "directories",
            first: [item(1, "a", .directory), item(2, in: 1, "b", .directory)],
            choices: [.create, .move, .delete], makesFiles: false, makesDirectories: true),
        ReplaySearch.Scene(
            name: "files in directories",
            first: [item(1, "a", .directory), item(2, in: 1, "a", ModelContent.file(1))], names: ["a"],
            makesDirectories: true),
        ReplaySearch.Scene(
            name: "equal contents", first: [item(1, "a", ModelContent.file(2))], contentsAreEqual: true),
        ReplaySearch.Scene(
            name: "withdrawals",
            first: [item(1, "a", .directory), item(2, in: 1, "a", ModelContent.file(1))], names: ["a"],
            choices: [.create, .edit, .move, .delete, .withdraw], makesDirectories: true),
    ]
}
