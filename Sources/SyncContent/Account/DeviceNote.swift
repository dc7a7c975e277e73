package import CloudStore
package import StoreBasics
package import SyncLog

/// What a device tells of itself beside a container's log, which names it by a number alone. For people and
/// for the quota: nothing that must not be lost depends on it.
package struct DeviceNote: Equatable, Sendable {
    /// A note that is longer is none.
    static let limitBytes = 4 << 10
    private static let version: UInt64 = 1

    /// How the device is called.
    package var name: String
    /// Its id in the account's own log: it has another one in each container.
    package var account: DeviceID
    /// The newest slot that it has read.
    package var cursor: UInt64
    /// What the tree at that slot takes of the quota.
    package var usedBytes: UInt64

    package init(name: String, account: DeviceID, cursor: UInt64, usedBytes: UInt64) {
        self.name = name
        self.account = account
        self.cursor = cursor
        self.usedBytes = usedBytes
    }

    package var bytes: [UInt8] {
        var writer = CBORWriter()
        writer.array(5)
        writer.unsigned(Self.version)
        writer.text(name)
        writer.identifier(account.bits)
        writer.unsigned(cursor)
        writer.unsigned(usedBytes)
        return writer.bytes
    }
}

extension DeviceNote {
    /// Nil for what makes no sense here. Another version may say more at the end.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.limitBytes else { return nil }
        do throws(CodingError) {
            var reader = CBORReader(bytes)
            guard try reader.array(upTo: 64) >= 5 else { return nil }
            _ = try reader.unsigned()
            name = try reader.text(upTo: LogLimits.nameBytes)
            account = DeviceID(bits: try reader.identifier())
            cursor = try reader.unsigned()
            usedBytes = try reader.unsigned()
        } catch {
            return nil
        }
    }
}

/// A device of a container, and when it was there last, by the store's clock.
package struct NotedDevice: Equatable, Sendable {
    /// As the container's log names it.
    package var device: DeviceID
    package var note: DeviceNote
    package var lastSeen: StoreTime
}

extension Account {
    /// More devices than that are not asked: those that were there last are.
    private static let devicesAtMost = 64

    /// What a container's devices tell of themselves; one LIST and a GET for each.
    package func devices(of container: ContainerName) async throws(StoreError) -> [NotedDevice] {
        let prefix = layout.devicePrefix(container)
        let listing = try await store.list(prefix, after: nil, limit: StoreLimits.listedKeys)
        let newest = listing.value.objects.filter { $0.sizeBytes <= DeviceNote.limitBytes }
            .sorted { ($1.lastModified.seconds, $0.key.text) < ($0.lastModified.seconds, $1.key.text) }
            .prefix(Self.devicesAtMost)
        var found: [NotedDevice] = []
        for info in newest {
            guard let bits = UInt128(info.key.text.dropFirst(prefix.utf8.count), radix: 16),
                let object = try await store.get(info.key).value, let note = DeviceNote(object.bytes)
            else { continue }
            found.append(
                NotedDevice(device: DeviceID(bits: bits), note: note, lastSeen: object.lastModified))
        }
        return found
    }
}
