internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// A device that no daemon serves, and none can while this is held: its folder may be copied, moved, removed.
final class HeldDevice {
    let location: DeviceLocation
    let directory: SharedDescriptor
    private let lock: SharedDescriptor

    /// A daemon that has nothing to do any more may take so long to end.
    private static let patienceSeconds = 2.0

    /// Root becomes the owner first, for good.
    /// - Throws: where the device is missing or in use.
    init(_ named: DeviceLocation) throws {
        guard !named.isMissing else { throw named.notThere }
        location = try named.asOwner()
        do {
            directory = SharedDescriptor(try location.openFolder(makes: false))
            let owner = try DeviceFolder.owner(of: directory.descriptor)
            let folder = try RunFolder(device: directory.raw, owner: owner)
            let deadline = Deadline(seconds: Self.patienceSeconds)
            var taken = try folder.takeLock()
            while taken == nil, !deadline.hasPassed {
                usleep(50_000)
                taken = try folder.takeLock()
            }
            guard let taken else {
                throw CommandFailure(
                    "the device \(location.name) is in use; end what uses it first: apphome unmount --all"
                        + " --device \(shellQuoted(location.name))")
            }
            lock = taken
        } catch let errno as Errno {
            throw CommandFailure("cannot use the device \(location.path): \(errno)")
        }
    }

    /// Removes all that makes it a device, which it is no more from the first moment on. `run/`, which has
    /// the lock, is left.
    func empty() throws {
        let aside = ".removed-\(getpid())"
        try valueOrErrno(lx_mkdirat(directory.raw, aside, 0o700))
        let folder = SharedDescriptor(try Descriptor(at: directory.raw, aside, flags: O_RDONLY | O_DIRECTORY))
        // What makes it a device goes first.
        let names = try DirectoryEntries.names(in: directory.raw).map(\.nameText)
        let catalogue = names.filter { $0.hasPrefix("catalogue.sqlite") }.sorted()
        for name in catalogue + names where name != "run" && name != aside {
            let moved = lx_renameat2(directory.raw, name, folder.raw, name, 0)
            if moved != -ENOENT { try valueOrErrno(moved) }
        }
        try TreeRemoval.remove(directory.raw, aside)
    }

    /// Removes the folder, with all in it. Nobody finds the device while it goes.
    func remove() throws {
        let (parent, name) = try place()
        let prefix = ".\(name).removed-"
        let aside = prefix + "\(getpid())"
        try rename(in: parent, name, aside)
        // Also what an earlier removal of this one could not end. All else there may be anybody's.
        let left = try DirectoryEntries.names(in: parent.raw).map(\.nameText).filter {
            $0.hasPrefix(prefix) && UInt32($0.dropFirst(prefix.count)) != nil
        }
        do { for name in left { try TreeRemoval.remove(parent.raw, name) } } catch {
            throw CommandFailure(
                "\(location.name) is no device any more, but not all of it could be removed: \(error); the"
                    + " rest lies in \(location.path.directoryAndName.directory ?? "")/\(aside)")
        }
    }

    /// Gives the folder another name beside it.
    /// - Throws: where something has that name.
    func rename(to newName: String) throws {
        let (parent, name) = try place()
        try rename(in: parent, name, newName)
    }

    private func rename(in parent: SharedDescriptor, _ name: String, _ newName: String) throws {
        do throws(Errno) {
            try valueOrErrno(lx_renameat2(parent.raw, name, parent.raw, newName, lx_rename_noreplace))
        } catch { throw CommandFailure("cannot rename \(location.path) to \(newName): \(error)") }
    }

    /// The folder that it lies in, and its name there.
    private func place() throws -> (parent: SharedDescriptor, name: String) {
        let (folder, name) = location.path.directoryAndName
        let parent = SharedDescriptor(try Descriptor(folder ?? ".", flags: O_RDONLY | O_DIRECTORY))
        guard try ItemStamp(parent.raw, name).identity == ItemStamp(of: directory.raw).identity else {
            throw CommandFailure("\(location.path) leads to the device by a link: name the folder itself")
        }
        return (parent, name)
    }
}
