internal import FuseKit
internal import Posix
internal import Wire

/// What mount(8) calls for `mount -t apphome APP DIR -o …` and for such a line in fstab:
/// `mount.apphome APP DIR [-s] [-f] [-n] [-v] [-o OPTIONS]`.
struct MountHelper {
    let app: String
    let directory: String
    private(set) var options = MountOptions()
    /// mount -f: everything but the mounting.
    private var isFake = false

    /// Whether a program of this name is mount(8)'s helper.
    static func isName(_ name: String) -> Bool {
        ["mount.apphome", "mount.fuse.apphome"].contains(name.pathParts.last ?? "")
    }

    init(_ words: [String]) throws {
        var plain: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "-o":
                guard let text = rest.popFirst() else { throw Self.usage("-o wants options") }
                try options.take(text)
            case "-t", "-N": _ = rest.popFirst()
            case "-n", "-s", "-v", "-w": continue
            case "-r": options.isReadOnly = true
            case "-f": isFake = true
            case _ where word.hasPrefix("-") && word.count > 1: throw Self.usage("unknown option \(word)")
            default: plain.append(word)
            }
        }
        guard plain.count == 2 else {
            throw Self.usage("want: mount -t apphome APP DIR -o device=PATH,uid=N")
        }
        (app, directory) = (plain[0], plain[1])
    }

    private static func usage(_ text: String) -> CommandFailure { CommandFailure(text, exitStatus: 64) }

    /// Mounts, and says nothing: mount(8) does not either.
    func run() throws {
        let owner = try options.userID.map { uid in
            guard let gid = options.groupID ?? Process.user(uid)?.groupID else {
                throw Self.usage("user \(uid) is not in the user database: give gid=N too")
            }
            return Owner(uid: uid, gid: gid)
        }
        let location = try DeviceLocation(options.device, owner: owner)
        guard !isFake else { return }
        // Nobody sees what a slip in fstab has made at the next start.
        let client = try DaemonClient.connect(to: location, asRoot: true)
        // A line in fstab with `user` comes here with that user's rights, who may not always open a mount.
        let mounter = Mounter(
            client: client, allowsOthers: Process.effectiveUserID == 0,
            forbidsExecution: options.forbidsExecution ?? false, owner: owner)
        var arguments = MountArguments(
            app: app, kind: options.isSharing ? .share : .home, directory: directory)
        options.apply(to: &arguments)
        guard try !isMounted(arguments, client) else { return }
        _ = try mounter.mount(arguments)
    }

    /// Whether it is all there already: `mount -a` comes with every line of fstab whose first word is not
    /// what the mount table names as the source, and ours never is.
    private func isMounted(_ arguments: MountArguments, _ client: DaemonClient) throws -> Bool {
        let place = try NamedPath.mountPoint(arguments.directory)
        guard let entry = try MountTable.current().entry(at: place), !MountPoint.isDead(place),
            let source = MountSource(entry.source), source.deviceID == client.hello.deviceID,
            source.kind == arguments.kind,
            entry.isReadOnly == (arguments.isReadOnly || arguments.kind == .share)
        else { return false }
        return try client.ask(.list).contains {
            $0.bundleID == source.bundleID && [$0.bundleID, $0.name].contains(app)
        }
    }
}
