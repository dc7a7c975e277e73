internal import Posix
internal import SystemPackage
internal import Wire

extension ClientConnection {
    /// - Parameter store: straight from it; nil: this device.
    func copyOut(
        _ name: String, of app: String, from store: CloudAccountArguments?, to target: CopyTarget
    ) throws -> Answer {
        if let store {
            try daemon.stores.copyOut(name, of: app, in: store, to: target, WorkMeter(report))
        } else {
            try daemon.sharing.copyOut(name, of: app, to: target, WorkMeter(report))
        }
        return .done
    }

    func copyIn(_ arguments: CopyInArguments, _ item: SharedDescriptor) throws -> Answer {
        try daemon.copies.copyIn(
            CopySource(item, arguments.name, peer), arguments, WorkMeter(report))
        return .done
    }

    /// - Parameter store: straight from it; nil: this device.
    func write(
        _ name: String, of app: String, from store: CloudAccountArguments?, to pipe: SharedDescriptor
    ) throws -> Answer {
        try writingOut(name, to: pipe) { output in
            if let store {
                try daemon.stores.write(name, of: app, in: store, to: output)
            } else {
                try daemon.sharing.write(name, of: app, to: output)
            }
        }
    }
}

/// Where a client wants a copy, in a directory that it has opened.
struct CopyTarget {
    let directory: SharedDescriptor
    let name: String
    /// Whether it takes the place of what has the name.
    let replaces: Bool
    /// The client's. The daemon may have more, and a descriptor for reading a directory says nothing of who
    /// may write there.
    let rights: ClientRights

    init(_ directory: SharedDescriptor, _ name: String, replaces: Bool, _ rights: ClientRights) {
        self.directory = directory
        self.name = name
        self.replaces = replaces
        self.rights = rights
    }

    var isTaken: CommandFailure {
        CommandFailure("\(name) is there already; replace it with --force, or name another destination")
    }
}

/// What a client has opened, and wants in a home.
struct CopySource {
    let item: SharedDescriptor
    /// Empty for what has none.
    let name: String
    /// The client: what is in a directory is opened with its rights.
    let reader: Owner

    init(_ item: SharedDescriptor, _ name: String, _ peer: UnixSocket.Peer) {
        self.item = item
        self.name = name
        reader = Owner(uid: peer.userID, gid: peer.groupID)
    }

    /// What it is called where a person reads it.
    var word: String { name.isEmpty ? "standard input" : name }

    /// How many bytes there are to copy.
    func bytes(_ stamp: ItemStamp) throws(Errno) -> Int64 {
        guard stamp.isDirectory else { return Int64(clamping: stamp.sizeBytes) }
        let raw = item.raw
        return try reader.calling { () throws(Errno) in try FileWalk.fileBytes(below: raw) }
    }
}
