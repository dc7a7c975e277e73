internal import CLinux
internal import Device
internal import Posix
internal import Wire

/// Purges when the file system of the device runs low, as the device's setting `low-disk` says (SPEC 9).
final class LowDiskWatch: Sendable {
    private struct State {
        var isEnded = false
        /// The setting may have changed.
        var isDue = true
    }
    private let state = Gate(State())

    private static let intervalSeconds = 10.0
    /// How often it is tried again where nothing could be freed.
    private static let patienceSeconds = 600.0

    /// Watches until `end`, on the caller's thread.
    func run(_ runs: RunService) {
        var pause = Deadline(seconds: 0)
        while true {
            let isDue: Bool? = state.wait(timeoutSeconds: Self.intervalSeconds) { state in
                defer { state.isDue = false }
                return state.isEnded || state.isDue ? true : nil
            }
            if isEnded { return }
            guard isDue == true || pause.hasPassed else { continue }
            do {
                guard let missing = try Self.missingBytes(runs.device), missing > 0 else { continue }
                let freed = try runs.purge(untilFreed: missing).reduce(0) { $0 + $1.freedBytes }
                runs.log.write("the disk is low: \(missing) bytes are missing, \(freed) were purged")
                if freed == 0 { pause = Deadline(seconds: Self.patienceSeconds) }
            } catch {
                runs.log.write("cannot purge: \(error)")
                pause = Deadline(seconds: Self.patienceSeconds)
            }
        }
    }

    /// To be called when the setting changed.
    func look() { state.update { $0.isDue = true } }

    var isEnded: Bool { state.update { $0.isEnded } }

    func end() { state.update { $0.isEnded = true } }

    /// How many bytes less are free than should be; nil where nothing is asked for.
    private static func missingBytes(_ device: Device) throws -> Int64? {
        let threshold = try device.settings().lowDisk
        guard threshold != .off else { return nil }
        var room = statvfs()
        try valueOrErrno(lx_fstatvfs(device.directory, &room))
        return LowDisk.missingBytes(
            threshold, freeBlocks: UInt64(room.f_bavail), blocks: UInt64(room.f_blocks),
            blockBytes: UInt64(room.f_frsize))
    }
}

/// What a threshold means on a file system.
enum LowDisk {
    /// - Returns: how many bytes less are free than the threshold wants; 0 or less: none.
    static func missingBytes(
        _ threshold: DeviceSettings.Threshold, freeBlocks: UInt64, blocks: UInt64, blockBytes: UInt64
    ) -> Int64? {
        // As floating point: a file system's numbers are anything, and some bytes do not matter.
        let free = Double(freeBlocks) * Double(blockBytes)
        let wanted: Double
        switch threshold {
        case .off: return nil
        case .bytes(let bytes): wanted = Double(bytes)
        case .percent(let percent): wanted = Double(blocks) * Double(blockBytes) * Double(percent) / 100
        }
        return Int64(max(-1, min(wanted - free, 9e18)))
    }
}
