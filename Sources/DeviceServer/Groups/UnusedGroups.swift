internal import Device
internal import SandboxRules
internal import Wire

/// A group's container is mounted where its apps find it as long as one of them runs, or a person has the
/// home of one mounted. What a person asked for by itself (`group path`) stays until the last such home goes.
extension MountService {
    /// A program has ended: what was mounted for programs goes where none of the group's apps runs any more.
    func endGroupsOfRuns() { endGroups { mount, _ in mount.isForRun } }

    /// A person's mount of a home ends: groups go with the last one.
    /// - Parameter id: of that mount, which counts no longer.
    func endGroups(withHome id: Int) {
        let homes = Set(registry.all.filter { $0.kind == .home && $0.id != id }.map(\.app.bundleID))
        endGroups { _, owners in owners.isDisjoint(with: homes) }
    }

    private func endGroups(where isUnwanted: (ActiveMount, Set<String>) -> Bool) {
        for mount in registry.all where mount.kind == .group && mount.view != nil {
            let owners = owners(of: mount)
            guard isUnwanted(mount, owners) else { continue }
            whileNoneRuns(owners.sorted()[...]) {
                // It is what somebody uses it for that counts: one that is busy stays.
                do { try end(mount) } catch { return log.write("\(error)") }
                waitForEnd(of: mount)
            }
        }
    }

    /// The apps that have the mounted group; none where those are gone.
    private func owners(of mount: ActiveMount) -> Set<String> {
        guard let app = try? device.app(named: mount.app.bundleID),
            let container = try? device.groupContainers(of: app).first(where: {
                $0.group.value == mount.group
            })
        else { return [] }
        return Set(container.owners.map(\.value))
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
