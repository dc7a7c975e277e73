import CLinux
import HomeTree
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// A home tree on a real folder, without a mount: the calls that a mount would make are made directly.
struct TreeFixture: ~Copyable {
    let folder: TemporaryFolder
    let tree: HomeTree
    let documents: InodeNumber
    let events: EventList

    init(
        cachedDescriptors: Int = 1000, handles: Int = 1000, policy: NamePolicy = .device,
        budget: DescriptorBudget? = nil
    ) throws {
        let folder = try TemporaryFolder()
        try folder.directory("data/Documents")
        let staging = try folder.directory("staging")
        let events = EventList()
        let tree = try HomeTree(
            container: Descriptor(folder.path + "/data", flags: lx_o_path | lx_o_directory),
            staging: Descriptor(staging, flags: lx_o_directory), policy: policy,
            budget: budget ?? DescriptorBudget(handleLimit: handles, cachedLimit: cachedDescriptors),
            events: events)
        documents = try "Documents".withFileName { (name) throws(Errno) in
            try tree.lookup(name, in: tree.home).inode
        }
        self.tree = tree
        self.events = events
        self.folder = folder
    }

    deinit {
        tree.forget(documents)
        #expect(tree.checkInvariants() == [])
    }

    let owner = Owner(uid: Process.effectiveUserID, gid: Process.effectiveGroupID)

    func lookup(_ name: String, in directory: InodeNumber? = nil) throws(Errno) -> Found {
        try name.withFileName { (name) throws(Errno) in
            // As for a program: it may be an event.
            let answer = try tree.lookup(name, in: directory ?? documents, by: .thread(0))
            guard case .found(let found) = answer else { throw .noSuchFileOrDirectory }
            return found
        }
    }

    func create(
        _ name: String, in directory: InodeNumber? = nil, owner: Owner? = nil
    ) throws(Errno) -> (Found, FileHandle) {
        try name.withFileName { (name) throws(Errno) in
            try tree.create(
                name, in: directory ?? documents, mode: 0o644, flags: lx_o_rdwr | lx_o_creat | lx_o_excl,
                owner: owner ?? self.owner)
        }
    }

    /// Makes a file and closes it; holds one reference.
    func make(_ name: String, in directory: InodeNumber? = nil, owner: Owner? = nil) throws(Errno) -> Found {
        let (found, handle) = try create(name, in: directory, owner: owner)
        tree.close(handle, of: found.inode)
        return found
    }

    func makeDirectory(
        _ name: String, in directory: InodeNumber? = nil, owner: Owner? = nil
    ) throws(Errno) -> Found {
        try name.withFileName { (name) throws(Errno) in
            try tree.makeDirectory(
                name, in: directory ?? documents, mode: 0o755, owner: owner ?? self.owner)
        }
    }

    func remove(_ name: String, in directory: InodeNumber? = nil) throws(Errno) {
        _ = try name.withFileName { (name) throws(Errno) in
            try tree.removeFile(name, in: directory ?? documents)
        }
    }

    func rename(_ name: String, to newName: String, in newDirectory: InodeNumber? = nil) throws(Errno) {
        _ = try name.withFileName { (name) throws(Errno) in
            try newName.withFileName { (newName) throws(Errno) in
                try tree.rename(name, in: documents, to: newName, in: newDirectory ?? documents)
            }
        }
    }
}
