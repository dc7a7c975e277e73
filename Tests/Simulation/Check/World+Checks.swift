internal import CloudStore
internal import CloudSync
internal import SyncContent
internal import SyncLog

/// What has to hold when all is quiet (SYNC.md 7).
extension World {
    func checkAll() {
        guard failures.isEmpty else { return }
        for app in truths.indices {
            checkTrees(of: app)
            checkStructure(of: app)
            checkDisks(of: app)
        }
        checkKeyValues()
        checkLedger()
        checkBelow()
        checkReferences()
        for finding in truths.flatMap(\.auditFindings).prefix(1) { fail("I3, I4, I7: \(finding)") }
    }

    /// I2: the same tree at the same slot.
    private func checkTrees(of app: Int) {
        let truth = truths[app]
        for device in devices where !device.isGone {
            guard let home = device.home(of: app) else { continue }
            let state = try? home.storage.read { (try $0.treeHead(), try $0.recordSum()) }
            guard let (head, sum) = state else {
                fail("I2: device \(device.index) has no tree")
                continue
            }
            guard head.sequence == truth.head else {
                fail("I10: device \(device.index) is at slot \(head.sequence) of \(truth.head)")
                continue
            }
            if sum != truth.sums[head.sequence] { fail("I2: device \(device.index) has another tree") }
            if (try? home.storage.read { try $0.droppedVersions().isEmpty }) != true {
                fail("I10: device \(device.index) has dropped versions to tell of")
            }
        }
        for device in devices where !device.isGone { checkReplicas(on: device, of: truth) }
    }

    /// They may lag behind, and be amid a commit.
    private func checkReplicas(on device: Device, of truth: Truth) {
        for (log, replica) in device.replicas {
            guard case .container(let name) = log, name.hex == truth.container,
                (try? replica.read { try $0.commitProgress() == nil }) == true,
                let state = try? replica.read({ (try $0.treeHead(), try $0.recordSum()) }),
                state.1 != truth.sums[state.0.sequence]
            else { continue }
            fail("I2: device \(device.index) reads another tree of an app that it does not have")
        }
    }

    /// I6: parents, cycles, names.
    private func checkStructure(of app: Int) {
        let nodes = truths[app].nodes
        let live = Dictionary(uniqueKeysWithValues: nodes.filter(\.isLive).map { ($0.id, $0) })
        var names: Set<[String]> = []
        for node in live.values.sorted(by: { $0.id < $1.id }) {
            guard let path = path(of: node, live) else { continue }
            // Swift's strings are equal where their canonical forms are.
            if !names.insert(path).inserted { fail("I6: two items at \(path)") }
        }
    }

    private func path(of node: Node, _ live: [FileID: Node]) -> [String]? {
        var names = [node.name]
        var parent = node.parent
        while parent != .root {
            guard let above = live[parent], above.isDirectory else {
                fail("I6: \(names) has no parent")
                return nil
            }
            names.insert(above.name, at: 0)
            guard names.count < 1000 else {
                fail("I6: a cycle above \(names)")
                return nil
            }
            parent = above.parent
        }
        return names
    }

    /// Each disk shows the tree, beside what is excluded there.
    private func checkDisks(of app: Int) {
        let nodes = truths[app].nodes.filter(\.isLive)
        let live = Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0) })
        var expected: [[String]: String] = [:]
        for node in nodes {
            if let path = path(of: node, live) { expected[path] = describe(node) }
        }
        for device in devices where !device.isGone {
            if let home = device.home(of: app) { compare(home.disk, with: expected) }
        }
    }

    /// An item that is excluded here keeps its name, and the cloud's is shown beside it, also when that has
    /// gone. A document of the cloud may have such a name too, where a person kept one under it.
    private func compare(_ disk: Disk, with expected: [[String]: String]) {
        var shown: [[String]: String] = [:]
        var beside: [[String]: Set<String>] = [:]
        disk.walk(disk.root, LocalPath()) { path, inode in
            if disk.isExcluded(path) { return }
            let what = describe(inode, ContentHash(of: disk.bytes(of: inode, at: path)))
            shown[path.names] = what
            for name in Self.namesBeside(path) { beside[name, default: []].insert(what) }
        }
        for (path, what) in expected.sorted(by: { "\($0.key)" < "\($1.key)" })
        where shown[path] != what && beside[path]?.contains(what) != true {
            fail("I10: device \(disk.device) shows \(shown[path] ?? "nothing") at \(path), not \(what)")
        }
        for path in shown.keys.sorted(by: { "\($0)" < "\($1)" }) where expected[path] == nil {
            if let inode = disk.find(LocalPath(path)), disk.holdsExcluded(inode) { continue }
            if Self.namesBeside(LocalPath(path)).contains(where: { expected[$0] != nil }) { continue }
            fail("I10: device \(disk.device) shows \(path), which is in no tree")
        }
    }

    /// What something may be in the cloud that lies here under this path, where any of its names has a mark.
    private static func namesBeside(_ path: LocalPath) -> [[String]] {
        guard path.names.contains(where: { $0.utf8.contains(UInt8(ascii: "(")) }) else { return [] }
        var found: [[String]] = [[]]
        for name in path.names {
            // The newest mark is the last one.
            let plain = name.replacing(#/ \(cloud( [0-9]+)?\)(?=[^()]*$)/#, with: "")
            found = found.flatMap { plain == name ? [$0 + [name]] : [$0 + [name], $0 + [plain]] }
        }
        return found.filter { $0 != path.names }
    }

    private func describe(_ node: Node) -> String {
        switch node.current?.content {
        case .file(let file):
            "file \(ledger.name(of: file.hash)) mode \(String(node.attributes.mode, radix: 8))"
        case .symlink(let target): "link to \(String(decoding: target, as: UTF8.self))"
        case .directory, nil: node.isDirectory ? "directory" : "no content"
        }
    }

    private func describe(_ inode: Inode, _ hash: ContentHash) -> String {
        switch inode.kind {
        case .file:
            "file \(ledger.name(of: inode.away ?? hash)) mode \(String(inode.mode, radix: 8))"
        case .symlink(let target): "link to \(String(decoding: target, as: UTF8.self))"
        case .directory: "directory"
        }
    }

    /// I4: what apps were promised is current, a version, or on a disk and kept from the cloud there.
    private func checkLedger() {
        let live = lastingTokens
        var kept: Set<Token> = []
        for device in devices where !device.isGone { kept.formUnion(device.tokensOutOfTheCloud) }
        for token in ledger.owed where !kept.contains(token) {
            guard live.contains(token) || truths.contains(where: { $0.isAnswered(token) }) else {
                let entry = ledger.entries[token]
                fail(
                    "I4: content \(token.number), written on device \(entry?.device ?? -1) at "
                        + "\(entry?.path ?? "") \(Trace.time(entry?.time ?? 0)), is lost")
                continue
            }
        }
    }

    /// I13, at the moment a request leaves.
    func checkFlags(of bytes: [UInt8], from device: Int) {
        for token in Token.all(in: bytes).sorted() where ledger.send(token, from: device, at: timeline.now) {
            let places = devices[device].homes.flatMap { $0.disk.places(of: token) }.joined(separator: ", ")
            fail("I13: content \(token.number) is flagged and leaves its device: \(places)")
        }
    }
}

extension Device {
    /// The whole contents that lie on its disk.
    var tokens: Set<Token> { homes.reduce(into: []) { $0.formUnion($1.disk.tokens) } }

    /// Contents that lie here and have no place in the cloud.
    var tokensOutOfTheCloud: Set<Token> {
        homes.reduce(into: []) { $0.formUnion($1.disk.tokensOutOfTheCloud) }
    }
}

extension Disk {
    /// Where a content lies, torn or whole, and what covers it there: for people.
    fileprivate func places(of token: Token) -> [String] {
        var found: [String] = []
        for (side, top) in [("", root), ("outside ", outside)] {
            walk(top, LocalPath()) { path, inode in
                guard inode.isFile, Token(head: inode.bytes[...]) == token else { return }
                found.append("\(side)\(path.names)\(isExcluded(path) ? " excluded" : "")")
            }
        }
        let staged = staging.filter { Token(head: $0.value.bytes[...]) == token }
        return found
            + staged.sorted { $0.key < $1.key }.map { "staged \($0.key), flag \($0.value.isFlagged)" }
    }

    /// A directory that is deleted in the cloud stays for what never was there.
    fileprivate func holdsExcluded(_ inode: Inode) -> Bool {
        inode.entries.contains { name, child in
            Self.exclusion(of: child, named: name) != nil || holdsExcluded(child)
        }
    }

    /// Contents that lie here and have no place in the cloud.
    var tokensOutOfTheCloud: Set<Token> {
        var found: Set<Token> = []
        walk(root, LocalPath()) { path, inode in
            if inode.isFile, isExcluded(path), !(path.name?.hasSuffix(Self.logSuffix) ?? false),
                let token = Token(whole: inode.bytes)
            {
                found.insert(token)
            }
        }
        walk(outside, LocalPath()) { _, inode in
            if inode.isFile, let token = Token(whole: inode.bytes) { found.insert(token) }
        }
        return found
    }
}

extension String {
    fileprivate func without(_ range: Range<Index>) -> String {
        String(self[..<range.lowerBound] + self[range.upperBound...])
    }
}
