internal import Device
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage
internal import Wire

extension Device {
    /// The app, if it shares its Documents as iTunes File Sharing asks for.
    /// - Throws: the refusal, with what a device says (house_arrest's errors).
    func sharingApp(named name: String) throws -> InstalledApp {
        // An unknown app is refused with "ApplicationLookupFailed" there.
        let app = try app(named: name)
        let keys = app.isPlaceholder ? nil : app.sharing
        if let refusal = SharingRule.refusal(for: keys) {
            throw CommandFailure(refusal.message(app: app.name))
        }
        return app
    }
}

/// iTunes File Sharing: `share ls`, `get`, `put` and `rm`.
struct SharingService: Sendable {
    let device: Device
    let views: Views

    func items(of name: String) throws -> [SharedItem] {
        let app = try device.sharingApp(named: name)
        return try sharing(of: app, nil) { (sharing) throws(Errno) in
            try sharing.list().map {
                SharedItem(
                    name: $0.name, kind: $0.isDirectory ? "directory" : "file", size: $0.sizeBytes,
                    modified: Double($0.modified))
            }
        }
    }

    /// Copies an item into a directory that the client has opened, with the client's rights: the daemon may
    /// have more, and a descriptor for reading a directory says nothing of who may write there.
    func copyOut(
        _ item: String, of name: String, to target: SharedDescriptor, as newName: String,
        _ rights: ClientRights, _ report: ByteReport
    ) throws {
        guard item.isItemName, newName.isItemName else { throw noItem(item, name) }
        let app = try device.sharingApp(named: name)
        try sharing(of: app, item) { (sharing) throws(Errno) in
            try rights.call { () throws(Errno) in
                try sharing.get(item, to: target.raw, as: newName, owner: nil, progress: report.add)
            }
        }
    }

    /// - Returns: where it lies, from the home.
    func copyIn(
        _ source: SharedDescriptor, as item: String, toInbox: Bool, of name: String, _ report: ByteReport
    ) throws -> String {
        let app = try device.sharingApp(named: name)
        if !toInbox, item == "Inbox" {
            throw CommandFailure(
                "Documents/Inbox is the system's; put files into it with: apphome share put --inbox")
        }
        // Something else has no end, perhaps, or somebody has to write it.
        guard try ItemStamp(of: source.raw).isRegular else {
            throw CommandFailure("cannot share \(item): it is no file; name the files")
        }
        let owner = device.owner
        return try sharing(of: app, item) { (sharing) throws(Errno) in
            if toInbox {
                let name = try sharing.putInInbox(
                    source.raw, as: item, owner: owner, progress: report.add)
                return "Documents/Inbox/" + name
            }
            try sharing.put(source.raw, as: item, owner: owner, progress: report.add)
            return "Documents/" + item
        }
    }

    func remove(_ item: String, of name: String) throws {
        let app = try device.sharingApp(named: name)
        try sharing(of: app, item) { (sharing) throws(Errno) in try sharing.remove(item) }
    }

    /// Runs a command on what the app shares, and says what went wrong with `item` (nil: the list) in words.
    private func sharing<R>(
        of app: InstalledApp, _ item: String?, _ body: (FileSharing) throws(Errno) -> R
    ) throws -> R {
        do {
            return try views.withTree(of: app) { (tree) throws(Errno) in try FileSharing.with(tree, body) }
        } catch let errno as Errno {
            guard let item else { throw CommandFailure("cannot list what \(app.name) shares: \(errno)") }
            switch errno {
            case .noSuchFileOrDirectory: throw noItem(item, app.name)
            case .fileExists:
                throw CommandFailure(
                    "\(item) is there already; name another destination, or remove that first")
            case .isDirectory:
                throw CommandFailure(
                    "\(item) is a folder there, and a file does not replace it; remove it first")
            case .invalidArgument:
                throw CommandFailure(
                    "\"\(item)\" is no name for a shared item; it begins with no dot and has no slash")
            case .permissionDenied, .notPermitted:
                throw CommandFailure(
                    "\(item): permission denied; give a destination that you may write, and nothing closed")
            case .fileNameTooLong:
                throw CommandFailure("\(item): a name is too long, or folders are nested too deeply")
            default: throw CommandFailure("cannot do that with \(item): \(errno)")
            }
        }
    }

    private func noItem(_ item: String, _ app: String) -> CommandFailure {
        CommandFailure("\(app) shares no \(item); see what it shares: apphome share ls \(app)")
    }
}

extension String {
    /// Whether it is the name of one item, whatever a client sends.
    var isItemName: Bool { !isEmpty && self != "." && self != ".." && !hasSlash && !utf8.contains(0) }
}

/// Sums up what was copied, and tells a client now and then: not for each of many small files.
final class ByteReport {
    private let send: (Progress) throws(Errno) -> Void
    private var bytesDone: Int64 = 0
    private var bytesTold: Int64 = 0
    private static let stepBytes: Int64 = 8 << 20

    /// - Parameter send: throws where nobody waits for the copy any more.
    init(_ send: @escaping (Progress) throws(Errno) -> Void) { self.send = send }

    func add(_ count: Int64) throws(Errno) {
        bytesDone += count
        guard bytesDone - bytesTold >= Self.stepBytes else { return }
        bytesTold = bytesDone
        try send(Progress(bytesDone: bytesDone))
    }
}
