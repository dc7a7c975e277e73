internal import CloudStore
internal import Posix
internal import StoreBasics

/// How much of its quota an account uses: current contents and conflict versions of live items, no history,
/// and what backup snapshots keep besides.
package struct AccountUsage: Equatable, Sendable {
    /// By container, as its newest snapshot says, or a device that has read further.
    package var bytes: [ContainerName: UInt64] = [:]

    /// What each backup snapshot says of itself. They never change, so each is asked for once.
    var backups: [CloudBackupInfo: BackupUse] = [:]

    /// What those took when somebody counted them last; nil: by `backups`.
    private var countedBackupBytes: UInt64?

    package init() {}

    /// As it was kept.
    package init(bytes: [ContainerName: UInt64], backupBytes: UInt64) {
        self.bytes = bytes
        countedBackupBytes = backupBytes
    }

    struct BackupUse: Equatable, Sendable {
        var base: StoreTime?
        var ownBytes: UInt64
        var droppedBytes: UInt64
    }

    /// Of all backup snapshots of all devices: what the newest refers to, and what each before it keeps that
    /// the one after it does not need. As their makers counted.
    package var backupBytes: UInt64 {
        if let countedBackupBytes { return countedBackupBytes }
        var sum: UInt64 = 0
        var newer: (info: CloudBackupInfo, use: BackupUse)?
        for (info, use) in backups.sorted(by: { $0.key.key > $1.key.key }) {
            let isBase = newer?.info.device == info.device && newer?.use.base == info.time
            sum = sum.addingSaturated(isBase ? newer?.use.droppedBytes ?? 0 : use.ownBytes)
            newer = (info, use)
        }
        return sum
    }

    /// - Parameter own: what this device's trees say, which are newer than any snapshot.
    package func total(with own: [ContainerName: UInt64] = [:]) -> UInt64 {
        // Sizes come from outside: a sum that is too large is over every quota.
        bytes.merging(own) { _, newer in newer }.values.reduce(backupBytes) { $0.addingSaturated($1) }
    }

    /// Asks for each container's newest snapshot and what its devices tell of it.
    /// - Throws: `.unreadable` where a snapshot cannot be read.
    /// - Parameter known: what was read before.
    package static func read(
        _ account: Account, known: AccountUsage = AccountUsage()
    ) async throws(CollectionError) -> AccountUsage {
        var usage = AccountUsage()
        usage.backups = try await backups(of: account, known: known.backups)
        let containers = try await account.containers()
        let bytes = try await Parallelism(requests: account.store.traits.parallelRequests).map(containers) {
            container async throws(CollectionError) in try await Self.bytes(of: container, account)
        }
        for (container, bytes) in zip(containers, bytes) { usage.bytes[container] = bytes }
        return usage
    }

    /// One that cannot be read counts nothing: it keeps nobody from working.
    private static func backups(
        of account: Account, known: [CloudBackupInfo: BackupUse]
    ) async throws(CollectionError) -> [CloudBackupInfo: BackupUse] {
        let backups = CloudBackups(account)
        var uses: [CloudBackupInfo: BackupUse] = [:]
        do {
            for info in try await backups.list() {
                if let use = known[info] {
                    uses[info] = use
                } else if let root = try await backups.readableRoot(of: info) {
                    uses[info] = BackupUse(
                        base: root.base, ownBytes: root.ownBytes, droppedBytes: root.droppedBytes)
                }
            }
        } catch {
            throw CollectionError(error, reading: StoreLayout.backupPrefix)
        }
        return uses
    }

    private static func bytes(
        of container: ContainerName, _ account: Account
    ) async throws(CollectionError) -> UInt64? {
        let told = try await CollectionError.asking(await account.devices(of: container)).map(\.note).max {
            ($0.cursor, $0.usedBytes) < ($1.cursor, $1.usedBytes)
        }
        let reader = SnapshotReader(account, log: .container(container))
        do {
            guard let newest = try await reader.list().value.last, newest.sequence > told?.cursor ?? 0 else {
                return told?.usedBytes
            }
            return try await reader.root(of: newest).usedBytes
        } catch {
            if case .content(.store(let failure)) = error { throw .store(failure) }
            throw .unreadable(container.hex, "\(error)")
        }
    }
}
