internal import Device
internal import SandboxRules
internal import Wire

/// A group's container is mounted where its apps find it as long as one of them runs, or a person has the
/// home of one mounted. What a person asked for by itself (`group path`) stays until the last such home goes.
extension MountService {
    /// A program has ended: what was mounted for programs goes where none of the group's apps runs any more.
    func endGroupsOfRuns() { endGroups { mount, _ in mount.isForRun } }

    /// A person's mount of a home ends: groups go with the last one.
    /// - Parameter home: that mount, which counts no longer.
    func endGroups(withHome home: Int, of bundleID: String) {
        let homes = Set(registry.all.filter { $0.kind == .home && $0.id != home }.map(\.app.bundleID))
        endGroups { _, owners in owners.contains(bundleID) && owners.isDisjoint(with: homes) }
    }

    private func endGroups(where isUnwanted: (ActiveMount, Set<String>) -> Bool) {
        for mount in registry.all where mount.kind == .group && mount.view != nil {
            let owners = owners(of: mount)
            // Of a group that nobody has any more the mount was ended when it went.
            guard !owners.isEmpty, isUnwanted(mount, owners) else { continue }
            whileNoneRuns(owners.sorted()[...]) {
                // It is what somebody uses it for that counts: one that is busy stays.
                do { try end(mount) } catch { return log.write("\(error)") }
                waitForEnd(of: mount)
            }
        }
    }

    /// The apps that have the mounted group: whichever of them it was mounted for.
    func owners(of mount: ActiveMount) -> Set<String> {
        let apps = (try? device.apps()) ?? []
        return Set(apps.filter { $0.groups.contains { $0.value == mount.group } }.map(\.bundleID.value))
    }

    /// Runs `body` unless a program runs as one of the apps, or one of them is being changed: who changes it
    /// may wait for a mount's end, and is not waited for. Programs that want to begin wait.
    private func whileNoneRuns(_ apps: ArraySlice<String>, _ body: () -> Void) {
        guard let app = apps.first else { return body() }
        guard running.programs(of: app).isEmpty, running.beginChange(of: app, waits: false) else { return }
        defer { running.endChange(of: app) }
        // One may have begun before the change did.
        guard running.programs(of: app).isEmpty else { return }
        whileNoneRuns(apps.dropFirst(), body)
    }
}
