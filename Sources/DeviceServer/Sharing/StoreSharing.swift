internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncLog
internal import SystemPackage
internal import Wire

/// An app of an account, whose Documents may be shown.
struct StoreSharedApp {
    let reference: AppReference
    let replica: StoreReplica
}

/// What is shown straight from a store: the account, iTunes File Sharing's gate, and `share ls` and `get`.
struct StoreSharing: Sendable {
    let device: Device
    let mounts: MountRegistry

    /// The account in a store. The device itself is not asked.
    /// - Throws: why there is none to be had.
    func account(in arguments: CloudAccountArguments) throws -> AccountReplica {
        let source = CloudAccount(arguments)
        switch try source.storeURL {
        case .none: throw CommandFailure("--from takes the URL of a store: file:///… or s3://…")
        case .folder(let path): try mounts.refuseStore(at: path)
        case .s3: break
        }
        let store = try source.open(for: device)
        guard let account = try Blocking.wait({ try await AccountReplica.open(in: store) }) else {
            throw CommandFailure("there is no account at \(arguments.url); see: apphome cloud account show")
        }
        return account
    }

    /// The app, if the store says that it shares its Documents.
    /// - Throws: the refusal, with what a device says (house_arrest's errors).
    func app(named name: String, in arguments: CloudAccountArguments) throws -> StoreSharedApp {
        let account = try account(in: arguments)
        // What was read just now is not read on at once.
        let app = try Self.app(named: name, of: account.apps { _ in }.apps, at: arguments.url)
        guard let identifier = BundleIdentifier(app.identifier) else {
            throw CommandFailure("the store names an app by what is no identifier: \(app.identifier)")
        }
        if let refusal = SharingRule.refusal(for: SharingKeys(app)) {
            throw CommandFailure(refusal.message(app: app.displayName))
        }
        return StoreSharedApp(
            reference: AppReference(bundleID: app.identifier, name: app.displayName),
            replica: try Blocking.wait { try await account.documents(of: identifier) })
    }

    func items(of name: String, in store: CloudAccountArguments) throws -> [SharedItem] {
        let replica = try app(named: name, in: store).replica
        return try replica.items(in: 0).map(\.node).filter(\.isShared).map { node in
            SharedItem(
                name: node.name, kind: node.isDirectory ? "directory" : "file",
                size: node.current?.sizeBytes ?? 0,
                modified: node.isDirectory
                    ? nil : Timestamp(seconds: Double(node.attributes.modified / 1_000_000_000)))
        }.sorted { $0.name < $1.name }
    }

    /// As `copyOut` from a device: with the client's rights, links as links, a directory whole.
    func copyOut(
        _ item: String, of name: String, in store: CloudAccountArguments, to target: CopyTarget,
        _ report: WorkMeter
    ) throws {
        let app = try app(named: name, in: store)
        let found = try shared(item, of: app, in: store)
        guard target.name.isItemName else { throw noItem(item, app, store) }
        do {
            try ReplicaCopy(replica: app.replica, rights: target.rights, report: report)
                .copy(found, to: target)
        } catch .fileExists {
            throw target.isTaken
        } catch .permissionDenied, .notPermitted {
            throw CommandFailure(
                "\(target.name): permission denied; give a destination that the device's owner may write")
        }
    }

    /// Writes a file's bytes.
    func write(
        _ item: String, of name: String, in store: CloudAccountArguments, to output: ClientOutput
    ) throws {
        let app = try app(named: name, in: store)
        let found = try shared(item, of: app, in: store)
        guard let content = try app.replica.content(of: found.number) else {
            throw CommandFailure("\(item) is a folder; name a destination for it")
        }
        try ReplicaCopy.read(content, of: app.replica) { try output.write($0) }
    }

    private func shared(
        _ item: String, of app: StoreSharedApp, in store: CloudAccountArguments
    ) throws -> StoreReplica.Item {
        guard item.isItemName, let found = try app.replica.item(named: item, in: 0), found.node.isShared
        else { throw noItem(item, app, store) }
        return found
    }

    private func noItem(
        _ item: String, _ app: StoreSharedApp, _ store: CloudAccountArguments
    ) -> CommandFailure {
        CommandFailure(
            "\(app.reference.name) shares no \(item) there; see what it shares: apphome share ls "
                + "\(app.reference.name) --from \(shellQuoted(store.url))")
    }

    private static func app(named name: String, of apps: [SyncedApp], at url: String) throws -> SyncedApp {
        if let app = apps.first(where: { $0.identifier == name }) { return app }
        let folded = name.lowercased()
        let named = apps.filter { $0.displayName.lowercased() == folded }
        guard let app = named.first else {
            let likely = UnknownApp.likely(
                for: name, among: apps.flatMap { [$0.displayName, $0.identifier] })
            throw CommandFailure(
                "there is no app \(name.prefix(200)) in \(url) (a device says ApplicationLookupFailed)"
                    + (likely.map { "; did you mean \($0)?" } ?? ""))
        }
        guard named.count == 1 else {
            let identifiers = named.map(\.identifier).joined(separator: ", ")
            throw CommandFailure(
                "\(named.count) apps are named \(app.displayName): give one's identifier: \(identifiers)")
        }
        return app
    }
}

extension SharingKeys {
    /// As the store keeps them.
    init(_ app: SyncedApp) {
        self.init(
            itunes: app.sharingKeys.contains("UIFileSharingEnabled"),
            opensInPlace: app.sharingKeys.contains("LSSupportsOpeningDocumentsInPlace"),
            documentBrowser: app.sharingKeys.contains("UISupportsDocumentBrowser"))
    }
}

extension Node {
    /// Whether the view has it, as a top-level item.
    fileprivate var isShared: Bool {
        if case .symlink = current?.content { return false }
        var name = name
        return name.withUTF8 {
            SharingRule.isItem(UnsafeRawBufferPointer($0), kind: isDirectory ? .directory : .file)
        }
    }
}
