public import Foundation
public import Posix

/// What a backup is to be.
public struct BackupOptions: Sendable, Confidential {
    public var device: BackedUpDevice
    /// The apps whose domains are given.
    public var apps: [BackedUpApp]
    /// Encrypts with it; nil leaves the backup plain. UTF-8.
    public var password: [UInt8]?
    /// Of the first round of the key's derivation: what trying a password costs. As on a device.
    public var iterations: UInt32 = 10_000_000
    /// Whether a domain of the backup before stays, of which nothing is given now.
    public var keeps: @Sendable (_ domain: String) -> Bool = { _ in true }
    /// When it begins.
    public var date = Date()

    public init(device: BackedUpDevice, apps: [BackedUpApp], password: [UInt8]? = nil) {
        self.device = device
        self.apps = apps
        self.password = password
    }
}
