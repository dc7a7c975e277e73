internal import Posix
internal import Wire

/// The programs that `apphome run` has started, each known by its command's connection: it ends with that,
/// however the command ends.
///
/// An app is running while one of them lives or, which the trees know, a file of its home is open.
final class RunningApps: Sendable {
    private struct State {
        var nextID = 1
        var programs: [Int: (bundleID: String, program: RunningProgram)] = [:]
        /// Apps whose caches are being emptied, or which are being replaced or removed: one thing at a time.
        var changed: Set<String> = []
    }
    private let state = Gate(State(), rank: .runningApps)

    /// Waits while the app is purged, replaced or removed: from its start on a program keeps its caches.
    /// - Returns: what to give to `end`.
    func begin(_ bundleID: String, _ program: RunningProgram) -> Int {
        let id = state.wait { state -> Int? in
            guard !state.changed.contains(bundleID) else { return nil }
            let id = state.nextID
            state.nextID += 1
            state.programs[id] = (bundleID, program)
            return id
        }
        // Without a time limit the wait gives a number.
        return id ?? 0
    }

    func end(_ id: Int) { state.update { _ = $0.programs.removeValue(forKey: id) } }

    func programs(of bundleID: String) -> [RunningProgram] {
        state.update { state in
            state.programs.filter { $0.value.bundleID == bundleID }.sorted { $0.key < $1.key }
                .map(\.value.program)
        }
    }

    /// Runs `body` while no program runs as the app; one that wants to begin waits for its end.
    /// - Returns: nil where one runs.
    func whileNotRunning<R>(_ bundleID: String, _ body: () throws -> R) rethrows -> R? {
        guard beginChangeIfNotRunning(bundleID) else { return nil }
        defer { endChange(of: bundleID) }
        return try body()
    }

    /// As `beginChange`, which waits, unless a program runs as the app.
    /// - Returns: false where one does.
    func beginChangeIfNotRunning(_ bundleID: String) -> Bool {
        state.wait { state in
            if state.programs.values.contains(where: { $0.bundleID == bundleID }) { return false }
            return state.changed.insert(bundleID).inserted ? true : nil
        } ?? false
    }

    /// Keeps purges and new programs of the app waiting until `endChange`: its containers get other places,
    /// or go. Programs that run are not asked.
    /// - Parameter waits: for a purge that is under way. Not under a lock that a purge may need.
    /// - Returns: false where one is under way and is not waited for.
    func beginChange(of bundleID: String, waits: Bool) -> Bool {
        state.wait { state in
            if state.changed.insert(bundleID).inserted { return true }
            return waits ? nil : false
        } ?? false
    }

    func endChange(of bundleID: String) { state.update { _ = $0.changed.remove(bundleID) } }
}
