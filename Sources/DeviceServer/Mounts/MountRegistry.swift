internal import FuseKit
internal import Posix
internal import Wire

/// A mount, or one that a client is about to make.
struct ActiveMount {
    let id: Int
    let kind: MountKind
    /// Of a group's mount the app that asked for it: all apps of the group have it.
    let app: AppReference
    let directory: String
    let source: String
    /// The group that it shows; nil: the app.
    var group: String?
    /// Whether it shows the app to programs that `run` has started, in the device's own folder.
    var isForRun = false
    /// Whether the client made the directory for the mount; it goes again with it.
    var madeDirectory = false
    /// Whether a client has unmounted it, not lazily: nobody in that client's mount namespace uses it.
    var isUnmounted = false
    /// What ends it; nil while the client still mounts, and where this process does not see the mount.
    var known: KnownMount?
    /// Nil while the client still mounts.
    var view: ServedView?
}

/// The app that a mount shows.
struct AppReference: Equatable, Sendable {
    let bundleID: String
    let name: String

    /// Stands for all apps, where a mount shows the device.
    static let device = AppReference(bundleID: "", name: "the device")
    /// The same where it shows an account's store.
    static let account = AppReference(bundleID: "", name: "the account")
}

/// The daemon's mounts. A home is mounted once; sharing views as often as one likes.
final class MountRegistry: Sendable {
    private struct State {
        var nextID = 1
        var mounts: [ActiveMount] = []
        /// Apps that cannot be mounted now, by identifier, and what is done to them: "removed".
        var barred: [String: String] = [:]
        var watchers: [ObjectIdentifier: WakeUp] = [:]
    }

    /// Threads wait here for mounts to end.
    private let state = Gate(State(), rank: .mounts)

    /// Reserves the place of a mount, before the client mounts.
    /// - Throws: where the app's home is mounted already.
    func reserve(
        kind: MountKind, app: AppReference, directory: String, source: String, group: String? = nil,
        isForRun: Bool = false
    ) throws -> Int {
        let outcome: Result<Int, CommandFailure> = state.update { state in
            if let what = state.barred[app.bundleID] {
                return .failure(
                    CommandFailure("\(app.name) is just being \(what); try again when that is done"))
            }
            if kind == .home,
                let other = state.mounts.first(where: {
                    $0.kind == .home && $0.app.bundleID == app.bundleID
                })
            {
                return .failure(
                    CommandFailure(
                        "\(app.name) is mounted at \(other.directory) already, and a home is mounted once;"
                            + " use that, or first: apphome unmount \(shellQuoted(other.directory))"))
            }
            if kind == .group, state.mounts.contains(where: { $0.kind == .group && $0.group == group }) {
                return .failure(CommandFailure("the group \(group ?? "") is mounted already; try again"))
            }
            let id = state.nextID
            state.nextID += 1
            state.mounts.append(
                ActiveMount(
                    id: id, kind: kind, app: app, directory: directory, source: source, group: group,
                    isForRun: isForRun))
            return .success(id)
        }
        return try outcome.get()
    }

    /// Refuses mounts of an app from now on, until `unbar`.
    /// - Parameters:
    ///   - what: that is done to it, for the error.
    ///   - check: asked with those that there are. Throws to refuse.
    func bar(
        _ app: AppReference, _ what: String, while check: ([ActiveMount]) throws(CommandFailure) -> Void
    ) throws {
        let outcome: Result<Void, CommandFailure> = state.update { state in
            do throws(CommandFailure) {
                try check(state.mounts.filter { $0.isHeld(by: app.bundleID) })
            } catch {
                return .failure(error)
            }
            state.barred[app.bundleID] = what
            return .success(())
        }
        try outcome.get()
    }

    func unbar(_ app: AppReference) { state.update { _ = $0.barred.removeValue(forKey: app.bundleID) } }

    func attach(_ view: ServedView, _ known: KnownMount? = nil, to id: Int, madeDirectory: Bool) {
        state.update { state in
            guard let index = state.mounts.firstIndex(where: { $0.id == id }) else { return }
            state.mounts[index].view = view
            state.mounts[index].known = known
            state.mounts[index].madeDirectory = madeDirectory
        }
    }

    func noteUnmounted(_ id: Int) {
        state.update { state in
            for index in state.mounts.indices where state.mounts[index].id == id {
                state.mounts[index].isUnmounted = true
            }
        }
    }

    /// It is a person's from now on, whoever it was mounted for.
    func keep(_ id: Int) {
        state.update { state in
            for index in state.mounts.indices where state.mounts[index].id == id {
                state.mounts[index].isForRun = false
            }
        }
    }

    /// Forgets a mount, and wakes who waits for its end.
    func remove(_ id: Int) {
        let watchers = state.update { state in
            state.mounts.removeAll { $0.id == id }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.signal() }
    }

    /// Signals `watcher` whenever a mount ends, until `stop`.
    func start(_ watcher: WakeUp) { state.update { $0.watchers[ObjectIdentifier(watcher)] = watcher } }
    func stop(_ watcher: WakeUp) {
        state.update { _ = $0.watchers.removeValue(forKey: ObjectIdentifier(watcher)) }
    }

    func mount(_ id: Int) -> ActiveMount? { all.first { $0.id == id } }

    var all: [ActiveMount] { state.update { $0.mounts } }

    /// The newest mount at `directory`.
    func mount(at directory: String) -> ActiveMount? { all.last { $0.directory == directory } }

    /// A store in a mount of this daemon would have it wait for itself.
    func refuseStore(at path: String) throws {
        for mount in all where path.isPath(in: mount.directory) {
            throw CommandFailure(
                "\(path) lies in the mount at \(mount.directory), which this device serves; "
                    + "put the store elsewhere")
        }
    }

    /// Waits until the mount has ended.
    /// - Returns: false after the timeout.
    func waitUntilEnded(_ id: Int, timeoutSeconds: Double?) -> Bool {
        state.wait(timeoutSeconds: timeoutSeconds) { state in
            state.mounts.contains { $0.id == id } ? nil : true
        } ?? false
    }

    /// Waits until no mount is left.
    func waitUntilEmpty(timeoutSeconds: Double) -> Bool {
        state.wait(timeoutSeconds: timeoutSeconds) { $0.mounts.isEmpty ? true : nil } ?? false
    }
}

extension CommandFailure {
    /// - Parameter what: that cannot be done to the app now.
    static func mounted(
        _ name: String, at places: [String], _ what: String, or otherwise: String = ""
    ) -> CommandFailure {
        let all = places.map { shellQuoted($0) }.joined(separator: " ")
        return CommandFailure(
            "\(name) is busy (EBUSY): mounted at \(all), and cannot be \(what) now;"
                + " apphome unmount \(all) first\(otherwise)")
    }
}

extension [ActiveMount] {
    /// - Parameter what: that is done to the app, for the error.
    /// - Throws: where mounts of it are there and may not go over to what comes, or one has only begun.
    func checkMayMove(_ name: String, _ what: String, remounts: Bool) throws(CommandFailure) {
        guard isEmpty || remounts else {
            throw .mounted(name, at: map(\.directory), what, or: ", or move them over: --remount")
        }
        if let begun = first(where: { $0.view == nil }) {
            throw CommandFailure("\(name) is just being mounted at \(begun.directory); try again")
        }
    }
}

extension ActiveMount {
    /// Whether it is the app's: a group's own mount is all its apps'.
    func isHeld(by bundleID: String) -> Bool { kind != .group && app.bundleID == bundleID }

    var report: MountReport? {
        view.map {
            MountReport(
                dir: directory, pid: Process.id, kind: kind, data: $0.dataPath, dataReason: $0.dataReason,
                transport: $0.transport.kind.rawValue, transportReason: $0.transport.reason)
        }
    }
}
