internal import CLinux
internal import Foundation
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// A folder of its own below `Staging`, where one install is prepared; nothing of it is seen until it is
/// published.
struct Staging: ~Copyable {
    static let bundle = "bundle"
    static let data = "data"

    let name = UUID().uuidString
    /// The folder `Staging`.
    private let parent: Descriptor
    let directory: Descriptor

    init(in device: Int32) throws(Errno) {
        let parent = try FileTree.openDirectory(device, Layout.staging)
        let directory = try FileTree.makeDirectory(parent.raw, name, mode: 0o700)
        _ = try FileTree.makeDirectory(directory.raw, Self.bundle)
        self.parent = parent
        self.directory = directory
    }

    /// The staged bundle container.
    func openBundleContainer() throws(Errno) -> Descriptor {
        try FileTree.openDirectory(directory.raw, Self.bundle)
    }

    /// Makes the empty directory `Name.app` in the staged bundle container.
    func makeBundle(_ directoryName: String) throws(Errno) -> Descriptor {
        let container = try openBundleContainer()
        return try FileTree.makeDirectory(container.raw, directoryName)
    }

    func openBundle(_ directoryName: String) throws(Errno) -> Descriptor {
        try FileTree.openDirectory(directory.raw, "\(Self.bundle)/\(directoryName)")
    }

    /// Makes a new app's data container, with what a device makes in it; `Library/Application Support` is
    /// not.
    func makeDataContainer() throws(Errno) -> Descriptor {
        let container = try FileTree.makeDirectory(directory.raw, Self.data)
        for path in Layout.homeDirectories { _ = try FileTree.ensureDirectory(container.raw, path) }
        return container
    }

    /// Writes all of it to the disk.
    func synchronize() throws(Errno) { try valueOrErrno(lx_syncfs(directory.raw)) }

    /// Moves the staged `item` to `path` in the device; what is there already is an error.
    func publish(_ item: String, to path: String, in device: Int32) throws(Errno) {
        try FolderMove.move(directory.raw, item, to: path, in: device)
    }

    func remove() throws(Errno) { try TreeRemoval.remove(parent.raw, name) }
}

/// Moving a container from one place in the device to another, on the disk when it returns.
enum FolderMove {
    static func move(_ from: Int32, _ item: String, to path: String, in device: Int32) throws(Errno) {
        let source = try NamedItem(item, in: from)
        let target = try NamedItem(path, in: device)
        try valueOrErrno(
            lx_renameat2(
                source.directory.raw, source.name, target.directory.raw, target.name, lx_rename_noreplace))
        try valueOrErrno(lx_fsync(target.directory.raw, 0))
        try valueOrErrno(lx_fsync(source.directory.raw, 0))
    }

    /// Removes the folder at `path` in the device with all that is in it; one that is not there is no error.
    ///
    /// - Throws: `canceled` where `goesOn` said no.
    static func remove(
        _ path: String, in device: Int32, while goesOn: () -> Bool = { true }
    ) throws(Errno) {
        let place = try NamedItem(path, in: device)
        try TreeRemoval.remove(place.directory.raw, place.name, while: goesOn)
        try valueOrErrno(lx_fsync(place.directory.raw, 0))
    }

    /// Removes a database and what lies beside it; what is not there is no error.
    static func removeDatabase(_ path: String, in device: Int32) throws(Errno) {
        for suffix in [""] + DatabaseCompanion.suffixes { try remove(path + suffix, in: device) }
    }
}
