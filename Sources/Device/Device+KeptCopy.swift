internal import Foundation
internal import Posix
internal import SandboxRules

/// What is kept of an app for `--undo`: the containers that its last restore, reset or undo replaced.
public struct KeptCopy: Sendable, Equatable {
    /// When that was, in seconds since 1970; 0: nobody noted it.
    public let time: Int64
    /// Whether a restore was begun since, and did not take place.
    public let isPassed: Bool
    /// As `AppSizes` counts them.
    public let bytes: Int64
    /// Which they are: no two copies have one in common.
    let containers: Set<UUID>
}

extension Device {
    /// Nil where nothing is kept.
    public func keptCopy(of app: InstalledApp) throws(DeviceError) -> KeptCopy? {
        try performing("look for what a restore of \(app.name) replaced") {
            var sum = SizeSum()
            return try keptCopy(of: app.bundleID, &sum)
        }
    }

    func keptCopy(of bundleID: BundleIdentifier, _ sum: inout SizeSum) throws -> KeptCopy? {
        let kept = try catalogue.replaced(by: bundleID.value)
        guard let time = kept.map(\.time).max() else { return nil }
        var bytes: Int64 = 0
        for container in kept.compactMap({ UUID(uuidString: $0.container) }) {
            bytes = bytes.addingSaturated(try sum.of(Layout.replacedContainer(container), in: directory))
        }
        return KeptCopy(
            time: time, isPassed: kept.contains(where: \.isPassed), bytes: bytes,
            containers: kept.containers)
    }

    /// Lets nobody go back to what the app's last restore replaced: `removeDiscarded` removes it. Killed at
    /// any point, all of it can be had back or nothing.
    ///
    /// - Parameter copy: which one is meant: another that came meanwhile stays.
    /// - Throws: `badValue` where nothing is kept, or another copy.
    public func forget(_ copy: KeptCopy, of app: InstalledApp) throws(DeviceError) {
        try performing("forget what a restore of \(app.name) replaced") {
            try publishing.withLock { _ in
                try finishRestorations(of: app.bundleID)
                let kept = try catalogue.replaced(by: app.bundleID.value)
                guard !kept.isEmpty else { throw nothingKept(of: app) }
                guard kept.containers == copy.containers else {
                    throw DeviceError(
                        .badValue,
                        "what a restore of \(app.name) replaced is another copy by now, which stays; look"
                            + " again: apphome backup forget-undo --dry-run")
                }
                try catalogue.discardReplaced(by: app.bundleID.value)
            }
        }
    }
}

extension [ReplacedContainer] {
    fileprivate var containers: Set<UUID> { Set(compactMap { UUID(uuidString: $0.container) }) }
}
