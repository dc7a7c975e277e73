/// What the account's own log tells: which apps and devices there are. Each says all of its subject, so the
/// last one in log order counts.
public enum AccountOperation: Equatable, Sendable {
    case app(SyncedApp)
    case device(AccountDevice)
    /// A person took the device off the account's list.
    case forget(DeviceID)
}

/// What the account's own log tells of an app.
public struct SyncedApp: Equatable, Sendable {
    public var identifier: String
    public var displayName: String
    /// Keys of the app's Info.plist by which it shares (SPEC.md 5, 6), ascending.
    public var sharingKeys: [String]

    public init(identifier: String, displayName: String, sharingKeys: [String]) {
        self.identifier = identifier
        self.displayName = displayName
        self.sharingKeys = sharingKeys
    }
}

/// A device, as the account's own log knows it.
public struct AccountDevice: Equatable, Sendable {
    public var device: DeviceID
    public var name: String

    public init(device: DeviceID, name: String) {
        self.device = device
        self.name = name
    }
}
