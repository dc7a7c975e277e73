internal import FuseKit
internal import Glibc
internal import Posix

/// Unmounts a view: tells its daemon, unmounts with this process's rights, and waits for the end.
struct Unmounter {
    /// The device to ask where the mount table does not lead to one.
    let fallback: () throws -> DeviceLocation
    var lazy = false

    /// - Returns: lines to print.
    func unmount(_ path: String) throws -> [String] {
        let directory = try MountPoint.resolve(path)
        guard let entry = try MountTable.current().entry(at: directory) else {
            return try forget(directory)
        }
        guard let source = MountSource(entry.source), entry.type == Mounting.fileSystemType else {
            throw MountError.notMounted(directory)
        }
        let client = try client(of: source)
        if client == nil, MountPoint.isDead(directory) {
            try Unmounting.clean(directory)
            return ["\(directory) was a dead mount, and is cleaned"]
        }
        let begun = try client?.request(.unmount(source: entry.source, directory: directory, isDone: false))
        try Unmounting.unmount(directory, lazy: lazy)
        if case .unmounting(removesDirectory: true) = begun { rmdir(directory) }
        guard !lazy else { return [] }
        let ended = try client?.request(.unmount(source: entry.source, directory: directory, isDone: true))
        if case .note(let lines) = ended { return lines }
        return []
    }

    /// The daemon of the mount's device; nil where none runs or the device is not found.
    private func client(of source: MountSource) throws -> DaemonClient? {
        let noted = try DeviceIndex.path(of: source.deviceID).map { try DeviceLocation($0) }
        for location in [noted, try? fallback()].compactMap({ $0 }) {
            guard let client = try DaemonClient.connectIfRunning(to: location) else { continue }
            if client.hello.deviceID == source.deviceID { return client }
        }
        return nil
    }

    /// Nothing is mounted there: perhaps a crash ended it, and the daemon remembers.
    private func forget(_ directory: String) throws -> [String] {
        let location = try fallback()
        guard access(location.path, F_OK) == 0 else { throw MountError.notMounted(directory) }
        let client = try DaemonClient.connect(to: location, toOtherBuilds: true)
        guard case .apps(let apps) = try client.request(.list),
            let crash = apps.flatMap(\.crashed).first(where: { $0.dir == directory })
        else { throw MountError.notMounted(directory) }
        _ = try client.request(.unmount(source: "", directory: directory, isDone: true))
        return [
            "\(crash.app)'s mount at \(directory) had ended by a crash at \(crash.time); that is forgotten"
        ]
    }
}
