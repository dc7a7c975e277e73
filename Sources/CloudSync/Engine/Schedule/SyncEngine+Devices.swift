internal import CloudStore
internal import SandboxRules
package import StoreBasics
package import SyncContent
package import SyncLog

/// What the store tells of the account's devices and apps, whether they are here or not.
extension SyncEngine {
    /// What a container's devices tell of themselves, whether the app was added or not.
    package func devices(of identifier: String) async throws -> [NotedDevice] {
        guard let bundle = BundleIdentifier(identifier) else { return [] }
        let account = try await openAccount()
        return try await account.devices(of: account.layout.container(bundle))
    }

    /// When each device of the account was there last, by its id in the account's log.
    package func lastSeen() async throws -> [DeviceID: StoreTime] {
        let account = try await openAccount()
        var seen: [DeviceID: StoreTime] = [:]
        for object in try await account.store.listAll(StoreLayout.hintPrefix).value {
            let digits = object.key.text.dropFirst(StoreLayout.hintPrefix.utf8.count)
            if let bits = UInt128(digits, radix: 16) { seen[DeviceID(bits: bits)] = object.lastModified }
        }
        for (_, noted) in try await notes(in: account) {
            seen[noted.note.account] = max(seen[noted.note.account] ?? noted.lastSeen, noted.lastSeen)
        }
        return seen
    }

    /// What each app of the account takes of its quota, by identifier, and what backup snapshots do; asks
    /// the store.
    package func usage() async throws -> (apps: [String: UInt64], backups: UInt64) {
        let account = try await openAccount()
        guard let quota = session?.quota else { return ([:], 0) }
        let whole = try await quota.refresh()
        var usage = whole.bytes.merging(await ownUsage()) { $1 }
        var bytes: [String: UInt64] = [:]
        for app in try apps() {
            guard let bundle = BundleIdentifier(app.identifier) else { continue }
            bytes[app.identifier] = usage.removeValue(forKey: account.layout.container(bundle))
        }
        // Apps that the account's log does not tell of yet.
        for (name, rest) in usage { bytes[name.hex] = rest }
        return (bytes, whole.backupBytes)
    }

    /// Reads that again when it is old and somebody sends, until cancelled.
    func keepUsage() async {
        while !Task.isCancelled {
            await usageSignal.wait()
            guard !Task.isCancelled, let quota = session?.quota else { continue }
            _ = try? await beside { try await quota.refresh() }
        }
    }

    /// A device that was taken off the list.
    func removeNotes(of device: DeviceID) async throws {
        let account = try await openAccount()
        _ = try await account.store.delete(account.layout.hint(device))
        for (container, noted) in try await notes(in: account) where noted.note.account == device {
            _ = try await account.store.delete(account.layout.device(container, noted.device))
        }
    }

    /// What all devices tell beside the logs of all apps.
    private func notes(in account: Account) async throws -> [(ContainerName, NotedDevice)] {
        var notes: [(ContainerName, NotedDevice)] = []
        for container in try await account.containers() {
            notes += try await account.devices(of: container).map { (container, $0) }
        }
        return notes
    }
}
