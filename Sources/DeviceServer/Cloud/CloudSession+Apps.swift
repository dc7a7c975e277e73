internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog

/// What commands ask of the engine, by app.
extension CloudSession {
    /// Finishes what is to go up, for at most so long, whatever the engine waits for just then.
    func finish(_ app: InstalledApp, seconds: Double) throws -> SyncStatus {
        let identifier = app.bundleID.value
        let end = SystemSyncClock().now() + UInt64(max(0, seconds) * 1e9)
        let work = BackgroundWork(self) { await $0.finish(identifier, until: end) }
        if let status = try work.result(within: seconds + 0.5) { return status }
        work.cancel()
        // Not asked: the engine may wait for a program of the owner's.
        return engine.shownStatus(identifier) ?? SyncStatus()
    }

    /// How far the app is, or what keeps the account from being opened.
    func status(of app: InstalledApp) throws -> SyncStatus {
        let identifier = app.bundleID.value
        return try wait { await $0.status(identifier) } ?? SyncStatus()
    }

    /// What keeps the account from being used, as far as that shows in so long. An engine that plans very
    /// much is not waited for.
    func trouble(seconds: Double) throws -> SyncTrouble? {
        if let account = engine.shownAccount { return account.trouble }
        let end = SystemSyncClock().now() + UInt64(max(0, seconds) * 1e9)
        return try wait { await $0.look(until: end) }
    }

    func confirmDeletes(_ app: InstalledApp) throws {
        let identifier = app.bundleID.value
        try wait { try await $0.confirmDeletes(identifier) }
    }

    /// A person has removed a top-level document by a command while the app's Documents were not watched.
    func noteRemoval(of name: String, _ app: InstalledApp) throws {
        try storage(of: app).write { transaction in
            guard let synced = try transaction.synced(in: .root, named: name) else { return }
            try transaction.addKnownRemoval(synced.file)
        }
    }

    /// What reads the account's log and contents.
    func reader() throws -> AccountReader {
        AccountReader(try wait { try await $0.openAccount() })
    }

    /// This device's id in the account; nil before its first contact.
    func ownDevice() throws -> DeviceID? { try accountStorage.read { try $0.journal()?.device } }

    /// How this device is called in the account; before its first contact as its machine is.
    func ownName() throws -> String {
        let (own, known) = try accountStorage.read {
            (try $0.journal()?.device, try $0.accountDevices())
        }
        return known.first { $0.device == own }?.name ?? Process.hostName
    }

    /// What devices are called that the app's log names: this one by its own word, for it has an id of its
    /// own in each log; others as they tell it beside the log, which is kept for when the store is away.
    func deviceNames(for app: InstalledApp) throws -> [SyncLog.DeviceID: String] {
        let storage = try storage(of: app)
        let (own, known, seen) = try storage.read { transaction in
            (
                try transaction.journal()?.device, try transaction.accountDevices(),
                try transaction.deviceMarks().map(\.device)
            )
        }
        var names = Dictionary(known.map { ($0.device, $0.name) }, uniquingKeysWith: { $1 })
        if let own { names[own] = "this device" }
        guard seen.contains(where: { names[$0] == nil }) else { return names }
        let identifier = app.bundleID.value
        let noted = (try? wait { try await $0.devices(of: identifier) }) ?? []
        let new = noted.filter { names[$0.device] == nil }
        if !new.isEmpty {
            try storage.write { transaction in
                for item in new {
                    try transaction.setAccountDevice(
                        AccountDevice(device: item.device, name: item.note.name))
                }
            }
        }
        for item in new { names[item.device] = item.note.name }
        return names
    }
}
