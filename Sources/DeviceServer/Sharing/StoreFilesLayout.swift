internal import CLinux
internal import CloudSync
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// What the Files app shows of an account (SPEC 6, `--from`): a directory for each of its apps that offers
/// its documents, by its name, read-only.
final class StoreFilesLayout: CompositeLayout {
    private let account: AccountReplica
    private let owner: Owner
    private let troubles: StoreTroubles
    private let lastNumberSpace = Lock<UInt32>(0, rank: .leaf)

    init(_ account: AccountReplica, owner: Owner, _ troubles: StoreTroubles) {
        self.account = account
        self.owner = owner
        self.troubles = troubles
    }

    var refusal: Errno { .readOnlyFileSystem }
    var isSlow: Bool { true }

    /// Reads on in the account, as each look does.
    var revision: UInt64 { UInt64(account.apps(troubles.report).revision) }

    /// As on a device.
    var names: NamePolicy { .device }

    /// Of apps that are called the same, those get numbers that come later by their identifiers.
    func entries(of path: String) throws(Errno) -> [CompositeEntry] {
        guard path.isEmpty else { throw .noSuchFileOrDirectory }
        let apps = account.apps(troubles.report).apps
        reportNameless(apps)
        var names = FilesNames()
        return apps.filter { BundleIdentifier($0.identifier) != nil && SharingKeys($0).files }
            .sorted { $0.identifier < $1.identifier }
            .map { CompositeEntry(names.name(for: $0.displayName), .part($0.identifier)) }
    }

    func open(_ part: String) throws(Errno) -> CompositePart {
        guard let app = BundleIdentifier(part) else { throw .noSuchFileOrDirectory }
        let account = account
        let documents = LateDocuments(failed: troubles.report) { () async throws(SyncTrouble) in
            try await account.documents(of: app)
        }
        // Below the numbers that a composite view gives its own directories.
        let numberSpace = lastNumberSpace.withLock { last in
            last = (last + 1) & 0x7fff_ffff
            return last
        }
        return CompositePart(StoreFileSystem(documents, owner: owner, .files, numberSpace: numberSpace)) {}
    }

    func statistics() throws(Errno) -> statvfs { StoreFileSystem.statistics }

    /// Says that apps are left out, in one line for all.
    private func reportNameless(_ apps: [SyncedApp]) {
        let left = apps.filter { BundleIdentifier($0.identifier) == nil }
        guard let first = left.first else { return }
        troubles.report(
            "\(left.count) of its apps are not shown, which are named by what is no identifier, as "
                + "\"\(first.identifier.prefix(200))\"")
    }
}
