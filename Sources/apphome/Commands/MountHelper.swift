internal import FuseKit
internal import Posix
internal import Wire

/// What mount(8) calls for `mount -t apphome APP DIR -o …` and for such a line in fstab:
/// `mount.apphome APP DIR [-s] [-f] [-n] [-v] [-o OPTIONS]`.
struct MountHelper {
    private(set) var arguments = MountArguments(app: "", kind: .home, directory: "")
    private(set) var device: String?
    private(set) var userID: UInt32?
    private(set) var groupID: UInt32?
    private(set) var forbidsExecution = false
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
                guard let options = rest.popFirst() else { throw Self.usage("-o wants options") }
                try take(options: options)
            case "-t", "-N": _ = rest.popFirst()
            case "-n", "-s", "-v", "-w": continue
            case "-r": arguments.isReadOnly = true
            case "-f": isFake = true
            case _ where word.hasPrefix("-") && word.count > 1: throw Self.usage("unknown option \(word)")
            default: plain.append(word)
            }
        }
        guard plain.count == 2 else {
            throw Self.usage("want: mount -t apphome APP DIR -o device=PATH,uid=N")
        }
        (arguments.app, arguments.directory) = (plain[0], plain[1])
    }

    private mutating func take(options: String) throws {
        for option in options.split(separator: ",") {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            let value = parts.count > 1 ? parts[1] : nil
            func choice(among known: [String]) throws -> String {
                guard let value, known.contains(value) else {
                    throw Self.usage("\(option): want \(known.joined(separator: ", "))")
                }
                return value
            }
            switch parts.first ?? "" {
            case "device": device = value
            case "uid": userID = try Self.number(value, option)
            case "gid": groupID = try Self.number(value, option)
            case "names": arguments.names = try choice(among: ["device", "simulator", "legacy"])
            case "xattr-list": arguments.attributeList = try choice(among: ["apple", "user"])
            case "transport":
                arguments.transport = try choice(among: TransportChoice.allCases.map(\.rawValue))
            case "data": arguments.data = try choice(among: DataPath.allCases.map(\.rawValue))
            case "layout": arguments.showsBundle = try choice(among: ["home", "containers"]) == "home"
            case "low-disk": arguments.lowDisk = value
            // Of two that contradict each other the last one counts.
            case "ro", "rw": arguments.isReadOnly = parts[0] == "ro"
            case "noexec", "exec": forbidsExecution = parts[0] == "noexec"
            case "share": arguments.kind = .share
            case "no-sync": arguments.noSync = true
            case let name where Self.holdsAnyway(name) || Self.isOfTimes(name): continue
            default: throw Self.usage("unknown mount option \(option)")
            }
        }
    }

    /// What mount(8) and fstab add for themselves, and what is so in every home: nosuid and nodev in the
    /// kernel, allow_other and default_permissions for root's mounts.
    private static func holdsAnyway(_ name: String) -> Bool {
        let known = [
            "defaults", "auto", "noauto", "nofail", "_netdev", "user", "nouser", "users", "owner", "group",
            "nosuid", "nodev", "async", "sync", "allow_other", "default_permissions",
        ]
        return known.contains(name) || name.hasPrefix("x-") || name.hasPrefix("comment")
    }

    /// How times of access are kept is the backing file system's matter; other FUSE file systems accept
    /// these too.
    private static func isOfTimes(_ name: String) -> Bool {
        let plain = name.hasPrefix("no") ? String(name.dropFirst(2)) : name
        return ["atime", "diratime", "relatime", "strictatime", "lazytime"].contains(plain)
    }

    private static func number(_ value: String?, _ option: Substring) throws -> UInt32 {
        guard let number = value.flatMap({ UInt32($0) }), number != .max else {
            throw usage("\(option) wants a number")
        }
        return number
    }

    private static func usage(_ text: String) -> CommandFailure { CommandFailure(text, exitStatus: 64) }

    /// Mounts, and says nothing: mount(8) does not either.
    func run() throws {
        let owner = try userID.map { uid in
            guard let gid = groupID ?? Process.user(uid)?.groupID else {
                throw Self.usage("user \(uid) is not in the user database: give gid=N too")
            }
            return Owner(uid: uid, gid: gid)
        }
        let location = try DeviceLocation(device, owner: owner)
        guard !isFake else { return }
        let client = try DaemonClient.connect(to: location, makesDevice: true, asRoot: true)
        // A line in fstab with `user` comes here with that user's rights, who may not always open a mount.
        let mounter = Mounter(
            client: client, allowsOthers: Process.effectiveUserID == 0, forbidsExecution: forbidsExecution,
            owner: owner)
        _ = try mounter.mount(arguments)
    }
}
