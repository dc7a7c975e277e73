public import Posix
internal import SandboxRules

/// One virtual iPhone: a folder with catalogue, containers and settings.
///
/// Used by the one daemon that holds the device's lock. Any thread may call; an install does not keep other
/// calls waiting, except while it is published.
public final class Device: Sendable {
    /// The owner of everything that is made in the folder.
    public let owner: Owner
    /// A UUID, the same for the life of the device.
    public let id: String

    /// What is kept free for commands that give room back.
    public let reserve: SpaceReserve
    let folder: Descriptor
    let catalogue: Catalogue
    let limits: InstallLimits
    /// Held while an install goes from staging to its place, across its system calls; within it, only the
    /// catalogue's queue is waited for.
    let publishing = Lock<Void>((), rank: .devicePublishing)
    /// Held while what nobody can go back to is removed, across its system calls: by one at a time.
    let discarding = Lock<Void>(())
    /// Called after each step of an install; a test ends the process's part there.
    let reached: @Sendable (InstallStep) throws -> Void
    /// The same of a removal.
    let removed: @Sendable (RemovalStep) throws -> Void
    /// The same of a restore.
    let restored: @Sendable (RestoreStep) throws -> Void

    /// Opens the device in `directory`, making an empty folder one. Call `recover` before anything else.
    ///
    /// - Parameters:
    ///   - directory: the folder, open for reading.
    ///   - owner: nil: the folder's owner.
    /// - Throws: `newerCatalogue` (nothing is changed), `notADevice`.
    public convenience init(directory: consuming Descriptor, owner: Owner? = nil) throws(DeviceError) {
        try self.init(directory: directory, owner: owner, limits: InstallLimits()) { _ in }
    }

    init(
        directory: consuming Descriptor, owner: Owner?, limits: InstallLimits,
        removed: @escaping @Sendable (RemovalStep) throws -> Void = { _ in },
        restored: @escaping @Sendable (RestoreStep) throws -> Void = { _ in },
        reached: @escaping @Sendable (InstallStep) throws -> Void
    ) throws(DeviceError) {
        let raw = directory.raw
        let stamp = try DeviceError.translating("open the device") { try ItemStamp(of: raw) }
        let owner = owner ?? Owner(uid: stamp.uid, gid: stamp.gid)
        let reserve = try DeviceError.translating("open the device") {
            try owner.acting { try Layout.prepare(raw, owner: owner) }
            return try SpaceReserve(in: directory, owner: owner)
        }
        self.reserve = reserve
        (catalogue, id) = try DeviceError.translating("open the device") {
            try reserve.whileLent {
                try owner.acting {
                    let catalogue = try Catalogue(in: raw)
                    try Self.settleClone(in: raw, catalogue)
                    return (catalogue, try catalogue.deviceID())
                }
            }
        }
        self.owner = owner
        self.limits = limits
        self.reached = reached
        self.removed = removed
        self.restored = restored
        folder = directory
    }

    /// The folder's descriptor, for as long as this device lives.
    public var directory: Int32 { folder.raw }

    /// Runs `body` with the owner's rights, turning errors into one line about `what`.
    func performing<R: ~Copyable>(_ what: String, _ body: () throws -> R) throws(DeviceError) -> R {
        try DeviceError.translating(what) { try owner.acting { try body() } }
    }
}

extension Device {
    public func settings() throws(DeviceError) -> DeviceSettings {
        let stored = try performing("read the device's settings") { try catalogue.settings() }
        var settings = DeviceSettings()
        for (key, value) in stored { try settings.set(key, value) }
        return settings
    }

    /// Changes one setting, for good when this returns.
    ///
    /// - Throws: `badValue`, which names the keys or the values there are.
    public func set(_ key: String, _ value: String) throws(DeviceError) {
        var settings = try settings()
        try settings.set(key, value)
        try performing("change the device's settings") { try catalogue.set(key, value) }
    }
}

extension Device {
    /// Another number whenever an app, a group or a setting may have changed since; no system call.
    public var revision: UInt64 { catalogue.revision }

    /// Every app and placeholder, by name.
    public func apps() throws(DeviceError) -> [InstalledApp] {
        try performing("list the apps") { try catalogue.apps() }
    }

    /// The app that a person means by `name`: its identifier, or its name in any case.
    ///
    /// - Throws: `unknownApp`; `ambiguousApp`, which names the identifiers.
    public func app(named name: String) throws(DeviceError) -> InstalledApp {
        let apps = try apps()
        if let app = apps.first(where: { $0.bundleID.value == name }) { return app }
        let folded = name.lowercased()
        let named = apps.filter { $0.name.lowercased() == folded }
        guard let app = named.first else {
            let likely = UnknownApp.likely(for: name, among: apps.flatMap { [$0.name, $0.bundleID.value] })
            throw DeviceError(
                .unknownApp,
                "there is no app \(name.prefix(200)) on this device (a device says ApplicationLookupFailed)"
                    + (likely.map { "; did you mean \($0)? See" } ?? "; see what is there") + ": apphome list"
            )
        }
        guard named.count == 1 else {
            let identifiers = named.map(\.bundleID.value).joined(separator: ", ")
            throw DeviceError(
                .ambiguousApp,
                "\(named.count) apps are named \(app.name): give one's identifier: \(identifiers)")
        }
        return app
    }
}
