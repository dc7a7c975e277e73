internal import CloudSync
internal import SandboxFS
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// What the file system asks of a store, answered by a replica: neither of the two knows the other.
final class ReplicaDocuments: StoreDocuments {
    private let replica: StoreReplica
    private let failed: @Sendable (SyncTrouble) -> Void

    /// - Parameter failed: told what went wrong with the store, where the kernel gets EIO or an older state.
    init(_ replica: StoreReplica, failed: @escaping @Sendable (SyncTrouble) -> Void) {
        self.replica = replica
        self.failed = failed
    }

    func item(_ number: UInt32) throws(Errno) -> StoreItem {
        if number == 0 { return .top }
        return try found { () throws(SyncTrouble) in try replica.item(number) }
    }

    func items(in directory: UInt32) throws(Errno) -> [StoreItem] {
        try known { () throws(SyncTrouble) in try replica.items(in: directory) }.map(StoreItem.init)
    }

    func item(named name: String, in directory: UInt32) throws(Errno) -> StoreItem {
        try found { () throws(SyncTrouble) in try replica.item(named: name, in: directory) }
    }

    func open(_ number: UInt32) throws(Errno) -> any StoreFile {
        let content = try known { () throws(SyncTrouble) in try replica.content(of: number) }
        guard let content else { throw .noSuchFileOrDirectory }
        return ReplicaFile(replica, content, failed)
    }

    private func found(_ body: () throws(SyncTrouble) -> StoreReplica.Item?) throws(Errno) -> StoreItem {
        guard let item = try known(body) else { throw .noSuchFileOrDirectory }
        return StoreItem(item)
    }

    private func known<Result>(_ body: () throws(SyncTrouble) -> Result) throws(Errno) -> Result {
        replica.refreshIfStale(failed)
        do { return try body() } catch {
            failed(error)
            throw .ioError
        }
    }
}

private final class ReplicaFile: StoreFile {
    private let replica: StoreReplica
    private let content: LocatedContent
    private let failed: @Sendable (SyncTrouble) -> Void

    init(
        _ replica: StoreReplica, _ content: LocatedContent,
        _ failed: @escaping @Sendable (SyncTrouble) -> Void
    ) {
        self.replica = replica
        self.content = content
        self.failed = failed
    }

    func read(
        offset: UInt64, sizeBytes: Int, _ done: @escaping @Sendable (Result<[UInt8], Errno>) -> Void
    ) {
        Task { [self] in
            do throws(SyncTrouble) {
                done(.success(try await replica.read(content, at: offset, count: sizeBytes)))
            } catch {
                failed(error)
                done(.failure(.ioError))
            }
        }
    }
}

extension StoreItem {
    /// Documents itself, of which a store keeps nothing.
    static let top = StoreItem(number: 0, name: "", .directory, mode: 0o755, modified: 0)

    init(_ item: StoreReplica.Item) {
        let node = item.node
        let content: Content =
            switch node.current?.content {
            case _ where node.isDirectory: .directory
            case .symlink(let target): .symlink(target: target)
            case .file(let content): .file(sizeBytes: content.sizeBytes)
            case .directory, nil: .file(sizeBytes: 0)
            }
        self.init(
            number: item.number, name: node.name, content,
            mode: UInt32(node.attributes.mode) & 0o777, modified: node.attributes.modified)
    }
}
