package import CloudStore
internal import Posix
package import StoreBasics
package import SyncLog

/// A backup snapshot in an account's store, by its key: `b/<device>/<time>`.
package struct CloudBackupInfo: Hashable, Sendable {
    package let key: ObjectKey
    /// Whose it is. Not the device's number in a log: a device that was found to be a clone gets another one
    /// of those, and keeps its backups.
    package let device: DeviceID
    /// When it was begun, by the store's clock.
    package let time: StoreTime

    init(_ layout: StoreLayout, device: DeviceID, time: StoreTime) {
        key = layout.backup(of: device, at: time)
        (self.device, self.time) = (device, time)
    }

    /// Nil for a key that no device makes.
    init?(_ key: ObjectKey, _ layout: StoreLayout) {
        let parts = key.text.dropFirst(StoreLayout.backupPrefix.utf8.count).pathParts
        guard parts.count == 2, parts[0].utf8.count == 32, let bits = UInt128(parts[0], radix: 16),
            let seconds = UInt64(parts[1]), seconds <= LogLimits.latestTime
        else { return nil }
        self.init(layout, device: DeviceID(bits: bits), time: StoreTime(seconds: Int64(seconds)))
        // One spelling of each.
        guard self.key == key else { return nil }
    }
}

extension StoreLayout {
    func backupPrefix(of device: DeviceID) -> String { "\(Self.backupPrefix)\(device.hex)/" }

    func backup(of device: DeviceID, at time: StoreTime) -> ObjectKey {
        ObjectKey(wellFormed: backupPrefix(of: device) + Self.digits(UInt64(clamping: time.seconds)))
    }
}
