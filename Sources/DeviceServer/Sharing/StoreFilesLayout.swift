internal import CLinux
internal import CloudSync
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage

/// What the Files app shows of an account (SPEC 6, `--from`): a directory for each of its apps that offers
/// its documents, by its name, read-only.
final class StoreFilesLayout: CompositeLayout {
    private struct Shown {
        var revision = -1
        var entries: [CompositeEntry] = []
    }

    private let account: AccountReplica
    private let owner: Owner
    private let troubles: StoreTroubles
    /// Names are given once for each state of the account, and not at every look.
    private let shown = Lock(Shown(), rank: .leaf)
    private let lastNumberSpace = Lock<UInt32>(0, rank: .leaf)

    init(_ account: AccountReplica, owner: Owner, _ troubles: StoreTroubles) {
        self.account = account
        self.owner = owner
        self.troubles = troubles
    }

    var refusal: Errno { .readOnlyFileSystem }
    var isSlow: Bool { true }

    func entries(of path: String) throws(Errno) -> [CompositeEntry] {
        guard path.isEmpty else { throw .noSuchFileOrDirectory }
        let known = account.apps(troubles.report)
        let (entries, isNew) = shown.withLock { shown in
            if shown.revision == known.revision { return (shown.entries, false) }
            shown = Shown(revision: known.revision, entries: Self.entries(of: known.apps))
            return (shown.entries, true)
        }
        if isNew { reportNameless(known.apps) }
        return entries
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

    private static func entries(of apps: [SyncedApp]) -> [CompositeEntry] {
        apps.filter { BundleIdentifier($0.identifier) != nil }.map(FilesApp.init).named().map { name, app in
            CompositeEntry(name, .part(app.part))
        }
    }

    /// Says that apps are left out, in one line for all.
    private func reportNameless(_ apps: [SyncedApp]) {
        let left = apps.filter { BundleIdentifier($0.identifier) == nil }
        guard let first = left.first else { return }
        troubles.report(
            "\(left.count) of its apps are not shown, which are named by what is no identifier, as "
                + "\"\(first.identifier.prefix(200))\"")
    }
}
