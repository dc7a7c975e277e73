internal import CLinux
internal import Foundation
internal import GRDB
public import Posix
public import SandboxRules
internal import SystemPackage

/// For each container a folder beside it, on the same file system, in which changes of it are prepared and
/// displaced files wait: no name that an app can give leads there.
///
/// It goes by the container's UUID and lives as long as that: through restarts, upgrades and restores.
extension Device {
    /// The staging folder of an app's data container, made where it is missing.
    public func openStaging(of app: InstalledApp) throws(DeviceError) -> Descriptor {
        try openStaging(of: app.dataContainer)
    }

    /// The staging folder of a group's container, made where it is missing.
    ///
    /// - Throws: `badValue` where no app of this device has the group.
    public func openStaging(of group: GroupIdentifier) throws(DeviceError) -> Descriptor {
        try openStaging(of: container(of: group))
    }

    /// The staging folder of a container that is being filled: it is the container's after `publish` too.
    public func openStaging(of container: StagedRestore.Container) throws(DeviceError) -> Descriptor {
        try openStaging(of: container.id)
    }

    private func openStaging(of container: UUID) throws(DeviceError) -> Descriptor {
        try performing("open the staging folder of a container") {
            try FileTree.ensureDirectory(directory, Layout.staging(of: container))
        }
    }

    /// Lets a data container that gets another UUID keep its staging folder. May be repeated, and undone by
    /// the same call the other way round.
    func moveStaging(of old: UUID, to new: UUID) throws(Errno) {
        let (from, to) = (Layout.staging(of: old), Layout.staging(of: new))
        guard try FileTree.exists(directory, from), try !FileTree.exists(directory, to) else { return }
        try FolderMove.move(directory, from, to: to, in: directory)
    }

    /// Removes a container, wherever it lies, and its staging folder. May be repeated.
    ///
    /// - Throws: `canceled` where `goesOn` said no.
    func removeContainer(
        _ container: UUID, at path: String, while goesOn: () -> Bool = { true }
    ) throws(Errno) {
        try FolderMove.remove(path, in: directory, while: goesOn)
        try FolderMove.remove(Layout.staging(of: container), in: directory, while: goesOn)
    }

    /// Removes the staging folders of containers that are no more. To be called at the start, when no
    /// container is on its way.
    /// - Returns: a line for each that cannot go.
    func removeOrphanedStaging() throws -> [String] {
        let folder = try FileTree.ensureDirectory(directory, Layout.containerStaging)
        let containers = [Layout.data, Layout.groups, Layout.replaced]
        let raw = folder.raw
        return try DirectoryEntries.names(in: raw).map(\.nameText).compactMap { name in
            let isHere = try containers.contains { try FileTree.exists(directory, "\($0)/\(name)") }
            return isHere ? nil : removed(name, in: raw, Layout.containerStaging)
        }
    }
}

/// What earlier versions kept in the containers themselves, in a directory `.staging` at the top.
///
/// In a group that was a name like any other to its apps, which could move a folder of theirs into it.
extension Device {
    /// Moves what lies there to where it belongs, once. Killed in the middle, it goes on at the next start.
    func takeStagingOutOfContainers() throws {
        guard try !catalogue.hasStagingApart else { return }
        let replacedGroups = try catalogue.replacedGroupContainers()
        for container in try uuids(in: Layout.data) {
            try moveFormerStaging(of: container, in: Layout.dataContainer(container))
        }
        for container in try uuids(in: Layout.groups) {
            try removeFormerStaging(ofGroup: Layout.groupContainer(container))
        }
        for container in try uuids(in: Layout.replaced) {
            let path = Layout.replacedContainer(container)
            if replacedGroups.contains(container) {
                try removeFormerStaging(ofGroup: path)
            } else {
                try moveFormerStaging(of: container, in: path)
            }
        }
        try catalogue.noteStagingApart()
    }

    private func uuids(in path: String) throws -> [UUID] {
        guard try FileTree.exists(directory, path) else { return [] }
        let folder = try FileTree.openDirectory(directory, path)
        return try DirectoryEntries.names(in: folder.raw).compactMap { UUID(uuidString: $0.nameText) }
    }

    private func moveFormerStaging(of container: UUID, in path: String) throws {
        let former = "\(path)/\(formerStaging)"
        guard try FileTree.exists(directory, former) else { return }
        let source = try FileTree.openDirectory(directory, former)
        let target = try FileTree.ensureDirectory(directory, Layout.staging(of: container))
        for name in try DirectoryEntries.names(in: source.raw) {
            try valueOrErrno(lx_renameat2(source.raw, name, target.raw, name, 0))
        }
        try valueOrErrno(lx_fsync(target.raw, 0))
        try FolderMove.remove(former, in: directory)
    }

    /// A group's held nothing that outlives a start: what else is in it an app has moved there, and sees it
    /// again from now on.
    private func removeFormerStaging(ofGroup path: String) throws {
        let former = "\(path)/\(formerStaging)"
        guard try FileTree.exists(directory, former) else { return }
        let folder = try FileTree.openDirectory(directory, former)
        for name in try DirectoryEntries.names(in: folder.raw).map(\.nameText) where isOfThisProgram(name) {
            try TreeRemoval.remove(folder.raw, name)
        }
        if try DirectoryEntries.names(in: folder.raw).isEmpty {
            try FolderMove.remove(former, in: directory)
        }
    }

    /// Nanoseconds and a process's number, as each change was named.
    private func isOfThisProgram(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }
}

private let formerStaging = ".staging"

extension Catalogue {
    static func createContainerFormat(_ database: Database) throws {
        try database.create(table: "containerFormat") { table in
            table.column("hasStagingApart", .boolean).notNull()
        }
        try database.execute(sql: "INSERT INTO containerFormat (hasStagingApart) VALUES (FALSE)")
    }

    /// Whether no container holds its own staging directory any more.
    var hasStagingApart: Bool {
        get throws {
            try read { try Bool.fetchOne($0, sql: "SELECT hasStagingApart FROM containerFormat") } ?? false
        }
    }

    func noteStagingApart() throws {
        try write { try $0.execute(sql: "UPDATE containerFormat SET hasStagingApart = TRUE") }
    }

    /// Those that restores replaced.
    func replacedGroupContainers() throws -> Set<UUID> {
        let replaced = try read { try ReplacedContainer.fetchAll($0) }
        return Set(replaced.filter { $0.kind == .group }.compactMap { UUID(uuidString: $0.container) })
    }
}
