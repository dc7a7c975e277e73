internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import StoreBasics
internal import SyncLog
internal import Wire

/// Devices, quota, and pausing: what is the account's and not an app's.
extension CloudCommands {
    func cloudDevices() throws -> [CloudDevice] {
        try cloud.withSession { session in
            let own = try session.ownDevice()
            // Without an answer of the store the list is still what the account's log says.
            let seen = (try? session.wait { try await $0.lastSeen() }) ?? [:]
            return try session.wait { try await $0.devices() }.map { device in
                CloudDevice(
                    id: device.device.hex, name: device.name,
                    lastSeen: seen[device.device].map { Timestamp(seconds: Double($0.seconds)) },
                    isThis: device.device == own)
            }
        }
    }

    func forgetDevice(_ text: String) throws {
        let all = try cloudDevices()
        let named = all.filter { $0.name == text }
        let devices = named.isEmpty ? all.filter { $0.id.hasPrefix(text.lowercased()) } : named
        guard let device = devices.first, !text.isEmpty else {
            throw CommandFailure("the account has no device \(text); see: apphome cloud devices")
        }
        guard devices.count == 1 else {
            throw CommandFailure(
                "\(devices.count) devices are called \(text) or begin so: give more of the id")
        }
        guard !device.isThis else {
            throw CommandFailure("that is this device; sign it out with: apphome cloud account none")
        }
        guard let bits = UInt128(device.id, radix: 16) else { return }
        try cloud.withSession { session in
            try session.wait { try await $0.forget(SyncLog.DeviceID(bits: bits)) }
        }
    }

    /// Of the whole account, also of apps that are not on this device.
    func cloudQuota() throws -> CloudQuota {
        try cloud.withSession { session in
            let (usage, backups) = try session.wait { try await $0.usage() }
            let apps = try session.wait { try await $0.apps() }
            let names = Dictionary(apps.map { ($0.identifier, $0.displayName) }, uniquingKeysWith: { $1 })
            let installed = try device.apps()
            let here = Dictionary(
                installed.map { ($0.bundleID.value, installed.word(for: $0.bundleID)) }
            ) { $1 }
            let uses = usage.sorted { $0.key < $1.key }.map {
                CloudAppUse(app: here[$0.key] ?? names[$0.key] ?? $0.key, bytes: Int64(clamping: $0.value))
            }
            return CloudQuota(
                quotaBytes: try device.settings().quotaBytes,
                usedBytes: uses.map(\.bytes).reduce(Int64(clamping: backups)) { $0.addingSaturated($1) },
                apps: uses, backupBytes: Int64(clamping: backups))
        }
    }

    /// For all apps: a person pauses a device.
    func setPaused(_ isPaused: Bool) throws {
        try cloud.withSession { session in
            for app in try device.apps() where try cloud.syncs(app) {
                let identifier = app.bundleID.value
                try cloud.keyValues.setPaused(isPaused, of: app)
                try session.with(app) {
                    try session.wait { engine in
                        if isPaused {
                            try await engine.pause(identifier)
                        } else {
                            try await engine.resume(identifier)
                        }
                    }
                }
            }
        }
    }
}
