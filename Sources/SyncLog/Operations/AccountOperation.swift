/// What the account's own log tells: which apps and devices there are. Each says all of its subject, so the
/// last one in log order counts.
package enum AccountOperation: Equatable, Sendable {
    case app(SyncedApp)
    case device(AccountDevice)
    /// A person took the device off the account's list.
    case forget(DeviceID)
}

/// What the account's own log tells of an app.
package struct SyncedApp: Equatable, Sendable {
    package var identifier: String
    package var displayName: String
    /// Keys of the app's Info.plist by which it shares (SPEC.md 5, 6), ascending.
    package var sharingKeys: [String]

    package init(identifier: String, displayName: String, sharingKeys: [String]) {
        self.identifier = identifier
        self.displayName = displayName
        self.sharingKeys = sharingKeys
    }
}

/// A device, as the account's own log knows it.
package struct AccountDevice: Equatable, Sendable {
    package var device: DeviceID
    package var name: String

    package init(device: DeviceID, name: String) {
        self.device = device
        self.name = name
    }
}
