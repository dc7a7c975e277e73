internal import Foundation
internal import Posix
internal import PropertyLists
public import SandboxRules
internal import SystemPackage

extension Device {
    /// Takes a staged app to its place.
    func publish(
        _ staged: StagedApp, from staging: borrowing Staging, upgrade: Upgrade
    ) throws -> InstallResult {
        try publishing.withLock { _ in
            try finishRemovals(of: staged.bundle.info.identifier)
            // Those that wait for who has the old bundle open have nothing to do with the data any more.
            try finishPublications(of: staged.bundle.info.identifier) { $0 != .handedOver }
            try finishRestorations(of: staged.bundle.info.identifier)
            let old = try catalogue.app(staged.bundle.info.identifier)
            let app = InstalledApp(staged, replacing: old)
            if let old { try upgrade.willReplace(old, app) }
            let publication = try stageContainers(
                of: app, replacing: old, dropsCaches: upgrade.dropsCaches, in: staging)
            try staging.synchronize()
            try reached(.synchronized)
            try catalogue.begin(publication)
            let committed: Publication
            do {
                committed = try move(publication, app, from: staging)
            } catch {
                if !(error is ProcessEnded) { try undo(publication) }
                throw error
            }
            var result = InstallResult(app, staged, replacing: old)
            result.notes += try old.map { try sharingChanges(by: app, replacing: $0) } ?? []
            do {
                try finish(committed) { try upgrade.handOver(app, $0) }
            } catch  where !(error is ProcessEnded) {
                result.notes.append("the old app's files are removed at the device's next start: \(error)")
            }
            return result
        }
    }

    /// What an earlier install of the same app left to do: its journal names containers that the next one
    /// moves.
    func finishPublications(
        of bundleID: BundleIdentifier, in isMeant: (Publication.Phase) -> Bool = { _ in true }
    ) throws {
        for publication in try catalogue.journal(of: Publication.self)
        where publication.bundleID == bundleID.value && isMeant(publication.phase) {
            try recover(publication)
        }
    }

    /// Removes the bundles that upgrades left for programs that had the old app open, once none has.
    public func removeReplacedBundles(of bundleID: BundleIdentifier) throws(DeviceError) {
        try performing("remove the replaced bundle of \(bundleID)") {
            try publishing.withLock { _ in try finishPublications(of: bundleID) { $0 == .handedOver } }
        }
    }

    /// Brings an interrupted install to the end that its phase says.
    func recover(_ publication: Publication) throws {
        switch publication.phase {
        case .publishing: try undo(publication)
        case .committed, .handedOver: try finish(publication)
        }
    }

    /// Prepares what the bundle's container does not hold yet: metadata, data container, group containers.
    private func stageContainers(
        of app: InstalledApp, replacing old: InstalledApp?, dropsCaches: Bool, in staging: borrowing Staging
    ) throws -> Publication {
        guard let bundle = app.bundleContainer else { throw Errno.invalidArgument }
        let container = try staging.openBundleContainer()
        try writeMetadata(.bundle, app.bundleID.value, bundle, in: container.raw)
        if old == nil {
            let data = try staging.makeDataContainer()
            try writeMetadata(.data, app.bundleID.value, app.dataContainer, in: data.raw)
        }
        var newGroups: [Publication.NewGroup] = []
        for group in app.groups where try catalogue.groupContainer(group) == nil {
            let new = Publication.NewGroup(identifier: group.value, container: UUID())
            let container = try FileTree.makeDirectory(staging.directory.raw, new.container.uuidString)
            for path in Layout.groupDirectories { _ = try FileTree.ensureDirectory(container.raw, path) }
            try writeMetadata(.group, group.value, new.container, in: container.raw)
            newGroups.append(new)
        }
        return Publication(
            id: staging.name, phase: .publishing, bundleID: app.bundleID.value, bundleContainer: bundle,
            dataContainer: app.dataContainer, oldBundleContainer: old?.bundleContainer,
            oldDataContainer: old?.dataContainer, newGroups: newGroups, dropsCaches: dropsCaches)
    }

    func writeMetadata(
        _ contentClass: ContainerMetadata.ContentClass, _ identifier: String, _ container: UUID,
        in directory: Int32
    ) throws {
        let bytes = try ContainerMetadata.propertyList(
            contentClass, identifier: identifier, container: container, owner: owner)
        try FileTree.replace(directory, ContainerMetadata.fileName, bytes)
    }

    /// One rename for each container, then one transaction.
    private func move(
        _ publication: Publication, _ app: InstalledApp, from staging: borrowing Staging
    ) throws -> Publication {
        try reached(.journaled)
        try staging.publish(
            Staging.bundle, to: Layout.bundleContainer(publication.bundleContainer), in: directory)
        try reached(.bundlePublished)
        let data = Layout.dataContainer(publication.dataContainer)
        if let old = publication.oldDataContainer {
            try FolderMove.move(directory, Layout.dataContainer(old), to: data, in: directory)
            try moveStaging(of: old, to: publication.dataContainer)
        } else {
            try staging.publish(Staging.data, to: data, in: directory)
        }
        try reached(.dataPublished)
        for group in publication.newGroups {
            let name = group.container.uuidString
            try staging.publish(name, to: Layout.groupContainer(group.container), in: directory)
        }
        try reached(.groupsPublished)
        return try catalogue.commit(publication, app)
    }

    /// What remains after the commit: first the data container's new identity, what of its content is not for
    /// the new app, and groups that nobody has any more; then the old bundle. May be repeated.
    ///
    /// - Parameter handOver: see `Upgrade`.
    func finish(_ publication: Publication, handOver: ([String]) throws -> Bool = { _ in false }) throws {
        if publication.phase != .handedOver {
            try reached(.committed)
            let isHeld = try finishData(publication, handOver)
            try removeGroupContainers(publication.orphans)
            try catalogue.note(publication, .handedOver)
            try reached(.handedOver)
            if isHeld { return }
        }
        if let old = publication.oldBundleContainer {
            try FolderMove.remove(Layout.bundleContainer(old), in: directory)
        }
        try reached(.cleaned)
        try catalogue.end(publication)
    }

    private func finishData(_ publication: Publication, _ handOver: ([String]) throws -> Bool) throws -> Bool
    {
        if publication.oldDataContainer == nil { return false }
        let path = Layout.dataContainer(publication.dataContainer)
        let container = try FileTree.openDirectory(directory, path)
        // A placeholder's data need not have every directory.
        for name in Layout.homeDirectories { _ = try FileTree.ensureDirectory(container.raw, name) }
        try writeMetadata(.data, publication.bundleID, publication.dataContainer, in: container.raw)
        let isHeld = try handOver(publication.emptied)
        if !isHeld { try empty(publication.emptied, in: container.raw) }
        return isHeld
    }

    private func empty(_ paths: [String], in container: Int32) throws {
        for path in paths {
            let emptied = try FileTree.openDirectory(container, path)
            try TreeRemoval.empty(emptied.raw)
        }
    }

    /// Takes back what was renamed before the commit. May be repeated.
    func undo(_ publication: Publication) throws {
        let data = Layout.dataContainer(publication.dataContainer)
        if let old = publication.oldDataContainer {
            let place = Layout.dataContainer(old)
            try moveStaging(of: publication.dataContainer, to: old)
            if try FileTree.exists(directory, data), try !FileTree.exists(directory, place) {
                try FolderMove.move(directory, data, to: place, in: directory)
            }
        } else {
            try removeContainer(publication.dataContainer, at: data)
        }
        try FolderMove.remove(Layout.bundleContainer(publication.bundleContainer), in: directory)
        for group in publication.newGroups {
            try removeContainer(group.container, at: Layout.groupContainer(group.container))
        }
        try catalogue.end(publication)
    }
}

extension InstalledApp {
    /// Whole seconds: what the catalogue gives back.
    private static var now: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)) }

    /// The app that a staged bundle becomes, in new containers.
    init(_ staged: StagedApp, replacing old: InstalledApp?) {
        let (bundle, info) = (staged.bundle, staged.bundle.info)
        let inForce = EntitlementsSource.inForce(bundle, replacing: old)
        self.init(
            bundleID: info.identifier, name: bundle.name, displayName: info.displayName ?? bundle.name,
            version: info.version, executable: info.executable, bundleContainer: UUID(),
            dataContainer: UUID(),
            groups: inForce.groups, sharing: info.sharing, entitlements: inForce.bytes,
            entitlementsSource: inForce.source, installed: Self.now, sealDigest: staged.sealDigest)
    }
}
