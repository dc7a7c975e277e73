internal import Foundation
internal import Posix
internal import SandboxRules
internal import SystemPackage

extension Device {
    /// Takes a staged app to its place.
    func publish(
        _ staged: StagedApp, from staging: borrowing Staging, willReplace: ReplacementCheck
    ) throws -> InstallResult {
        try publishing.withLock { _ in
            try finishRemovals(of: staged.bundle.info.identifier)
            let old = try catalogue.app(staged.bundle.info.identifier)
            if let old { try willReplace(old) }
            let inForce = EntitlementsSource.inForce(staged.bundle, replacing: old)
            let app = InstalledApp(staged, replacing: old)
            let publication = try stageContainers(of: app, replacing: old, in: staging)
            try staging.synchronize()
            try reached(.synchronized)
            try catalogue.begin(publication)
            do {
                try move(publication, app, from: staging)
            } catch {
                if !(error is ProcessEnded) { try undo(publication) }
                throw error
            }
            var notes: [String] = []
            if inForce.areKept {
                notes.append("\(app.name) brings no entitlements: those of the installed one stay in force")
            }
            do {
                try finish(publication)
            } catch  where !(error is ProcessEnded) {
                notes.append("the old app's files are removed at the device's next start: \(error)")
            }
            return InstallResult(app: app, replaced: old, keptEntitlements: inForce.areKept, notes: notes)
        }
    }

    /// Prepares what the bundle's container does not hold yet: metadata, data container, group containers.
    private func stageContainers(
        of app: InstalledApp, replacing old: InstalledApp?, in staging: borrowing Staging
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
            for path in ["Library", "Library/Caches", "Library/Preferences"] {
                _ = try FileTree.ensureDirectory(container.raw, path)
            }
            try writeMetadata(.group, group.value, new.container, in: container.raw)
            newGroups.append(new)
        }
        return Publication(
            id: staging.name, phase: .publishing, bundleID: app.bundleID.value, bundleContainer: bundle,
            dataContainer: app.dataContainer, oldBundleContainer: old?.bundleContainer,
            oldDataContainer: old?.dataContainer, newGroups: newGroups)
    }

    private func writeMetadata(
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
    ) throws {
        try reached(.journaled)
        try staging.publish(
            Staging.bundle, to: Layout.bundleContainer(publication.bundleContainer), in: directory)
        try reached(.bundlePublished)
        let data = Layout.dataContainer(publication.dataContainer)
        if let old = publication.oldDataContainer {
            try FolderMove.move(directory, Layout.dataContainer(old), to: data, in: directory)
        } else {
            try staging.publish(Staging.data, to: data, in: directory)
        }
        try reached(.dataPublished)
        for group in publication.newGroups {
            let name = group.container.uuidString
            try staging.publish(name, to: Layout.groupContainer(group.container), in: directory)
        }
        try reached(.groupsPublished)
        try catalogue.commit(publication, app)
    }

    /// What remains after the commit: the old bundle, the old `tmp`, the data container's new identity. May
    /// be repeated.
    func finish(_ publication: Publication) throws {
        try reached(.committed)
        if let old = publication.oldBundleContainer {
            try FolderMove.remove(Layout.bundleContainer(old), in: directory)
        }
        if publication.oldDataContainer != nil {
            let path = Layout.dataContainer(publication.dataContainer)
            let container = try FileTree.openDirectory(directory, path)
            // A placeholder's data need not have every directory.
            for name in Layout.homeDirectories { _ = try FileTree.ensureDirectory(container.raw, name) }
            let temporary = try FileTree.openDirectory(container.raw, "tmp")
            try TreeRemoval.empty(temporary.raw)
            try writeMetadata(.data, publication.bundleID, publication.dataContainer, in: container.raw)
        }
        try reached(.cleaned)
        try catalogue.end(publication)
    }

    /// Takes back what was renamed before the commit. May be repeated.
    func undo(_ publication: Publication) throws {
        let data = Layout.dataContainer(publication.dataContainer)
        if let old = publication.oldDataContainer.map(Layout.dataContainer) {
            if try FileTree.exists(directory, data), try !FileTree.exists(directory, old) {
                try FolderMove.move(directory, data, to: old, in: directory)
            }
        } else {
            try FolderMove.remove(data, in: directory)
        }
        try FolderMove.remove(Layout.bundleContainer(publication.bundleContainer), in: directory)
        for group in publication.newGroups {
            try FolderMove.remove(Layout.groupContainer(group.container), in: directory)
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
