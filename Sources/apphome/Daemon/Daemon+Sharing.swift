internal import SandboxRules
internal import Device
internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage

extension Daemon {
    /// The app, if it shares its Documents as iTunes File Sharing asks for.
    /// - Throws: the refusal, with what a device says (house_arrest's errors).
    func sharingApp(_ name: String) throws -> InstalledApp {
        // An unknown app is refused with "ApplicationLookupFailed" there.
        let app = try device.app(named: name)
        let keys = app.isPlaceholder ? nil : app.sharing
        if let refusal = SharingRule.refusal(for: keys) { throw CommandFailure(refusal.message(app: app.name)) }
        return app
    }

    /// `share ls`, `get`, `put` and `rm`.
    func share(
        _ request: Request, _ descriptors: [SharedDescriptor], _ rights: ClientRights,
        _ progress: @escaping (Progress) -> Void
    ) throws -> Reply {
        var bytesDone: Int64 = 0
        let report = { (count: Int64) in
            bytesDone += count
            progress(Progress(bytesDone: bytesDone))
        }
        switch request {
        case .sharingApps: return .apps(try summaries().filter(\.sharing.itunes))
        case .shareList(let name):
            return .items(try views.withTree(of: try sharingApp(name)) { (try SharedDocuments(tree: $0).list(), []) })
        case .shareGet(let name, let item, let newName):
            guard descriptors.count == 1 else { throw Self.descriptorsMissing }
            try get(item, of: try sharingApp(name), to: descriptors[0], as: newName, rights, report)
            return .done
        case .sharePut(let name, let item, let toInbox):
            guard descriptors.count == 1 else { throw Self.descriptorsMissing }
            let stored = try put(descriptors[0], as: item, toInbox: toInbox, of: try sharingApp(name), rights, report)
            return .note(lines: toInbox ? ["Documents/Inbox/\(stored)"] : [])
        case .shareRemove(let name, let item):
            try remove(item, of: try sharingApp(name))
            return .done
        default: throw CommandFailure("the daemon does not understand the request")
        }
    }

    private func get(
        _ item: String, of app: InstalledApp, to target: SharedDescriptor, as newName: String,
        _ rights: ClientRights, _ report: @escaping (Int64) -> Void
    ) throws {
        try checkItemName(item, of: app)
        try checkItemName(newName, of: app)
        try views.withTree(of: app) { tree in
            let copy = CopyOut(tree: tree, asClient: rights, report: report)
            try tree.withDocuments { documents in
                try self.translating(item, of: app) {
                    try item.withCName { item in
                        try newName.withCName { try copy.copy(item, from: documents, to: target.raw, as: $0) }
                    }
                }
            }
            return ((), [])
        }
    }

    private func put(
        _ source: SharedDescriptor, as name: String, toInbox: Bool, of app: InstalledApp, _ rights: ClientRights,
        _ report: @escaping (Int64) -> Void
    ) throws -> String {
        try checkItemName(name, of: app)
        if !toInbox, name == "Inbox" {
            throw CommandFailure("Documents/Inbox is the system's; put files into it with: apphome share put --inbox")
        }
        let owner = FileOwner(uid: device.owner.uid, gid: device.owner.gid)
        return try views.withTree(of: app) { tree in
            let copy = CopyIn(tree: tree, asClient: rights, owner: owner, report: report)
            return try tree.withDocuments { documents in
                let stored = try self.translating(name, of: app) {
                    try copy.copy(source.raw, as: name, toInbox: toInbox, in: documents)
                }
                return (stored, tree.changes(of: toInbox ? "Inbox" : stored, in: documents))
            }
        }
    }

    private func remove(_ name: String, of app: InstalledApp) throws {
        try checkItemName(name, of: app)
        try views.withTree(of: app) { tree in
            try self.translating(name, of: app) { try SharedDocuments(tree: tree).remove(name) }
            return try tree.withDocuments { ((), tree.changes(of: name, in: $0)) }
        }
    }

    /// A name is one component, whatever a client sends.
    private func checkItemName(_ name: String, of app: InstalledApp) throws {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw CommandFailure("\"\(name)\" is no item of \(app.name)'s Documents: name one as share ls prints it")
        }
    }

    private func translating<R>(_ item: String, of app: InstalledApp, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch Errno.noSuchFileOrDirectory {
            throw CommandFailure("\(app.name) shares no \(item); see what it shares: apphome share ls \(app.name)")
        } catch Errno.fileExists {
            throw CommandFailure("\(item) is there already; name another destination, or remove that first")
        } catch Errno.fileNameTooLong {
            throw CommandFailure("\(item): a name is too long, or folders are nested deeper than \(FolderDepth.limit)")
        } catch let errno as Errno {
            throw CommandFailure("cannot copy or remove \(item): \(errno)")
        }
    }
}

extension HomeTree {
    /// What the kernel must forget when a name in Documents was added, replaced or removed.
    fileprivate func changes(of name: String, in documents: InodeNumber) -> [Invalidation] {
        let directory = NodeKey(rawValue: documents.rawValue)
        return [.entry(name: Array(name.utf8), directory: directory), .contents(directory)]
    }
}

extension String {
    /// Runs `body` with this text as a borrowed file name; any error passes.
    func withCName<R>(_ body: (FileName) throws -> R) throws -> R { try withCString { try body(FileName($0)) } }
}
