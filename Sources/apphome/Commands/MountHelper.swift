internal import FuseKit
internal import Posix
internal import Wire

/// What mount(8) calls for `mount -t apphome APP DIR -o …` and for such a line in fstab:
/// `mount.apphome APP DIR [-s] [-f] [-n] [-v] [-o OPTIONS]`.
struct MountHelper: Equatable {
    var app = ""
    var directory = ""
    var device: String?
    var userID: UInt32?
    var groupID: UInt32?
    var names: String?
    var attributeList: String?
    var transport: String?
    var data: String?
    var isReadOnly = false
    var forbidsExecution = false
    var isShare = false
    var noSync = false
    var layout: String?
    var lowDisk: String?
    /// mount -f: everything but the mounting.
    var isFake = false

    /// Whether a program of this name is mount(8)'s helper.
    static func isName(_ name: String) -> Bool {
        ["mount.apphome", "mount.fuse.apphome"].contains(name.pathParts.last ?? "")
    }

    init(_ arguments: [String]) throws {
        var plain: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-o":
                guard let options = rest.popFirst() else { throw Self.usage("-o wants options") }
                try take(options: options)
            case "-t", "-N": _ = rest.popFirst()
            case "-n", "-s", "-v", "-w": continue
            case "-r": isReadOnly = true
            case "-f": isFake = true
            case _ where argument.hasPrefix("-") && argument.count > 1:
                throw Self.usage("unknown option \(argument)")
            default: plain.append(argument)
            }
        }
        guard plain.count == 2 else {
            throw Self.usage("want: mount -t apphome APP DIR -o device=PATH,uid=N")
        }
        (app, directory) = (plain[0], plain[1])
    }

    private mutating func take(options: String) throws {
        for option in options.split(separator: ",") {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            let value = parts.count > 1 ? parts[1] : nil
            switch parts.first ?? "" {
            case "device": device = value
            case "uid": userID = try Self.number(value, option)
            case "gid": groupID = try Self.number(value, option)
            case "names": names = try Self.value(value, of: option, among: ["device", "simulator", "legacy"])
            case "xattr-list": attributeList = try Self.value(value, of: option, among: ["apple", "user"])
            case "transport":
                transport = try Self.value(value, of: option, among: TransportChoice.allCases.map(\.rawValue))
            case "data":
                data = try Self.value(value, of: option, among: DataPath.allCases.map(\.rawValue))
            case "layout": layout = try Self.value(value, of: option, among: ["home", "containers"])
            case "low-disk": lowDisk = value
            // Of two that contradict each other the last one counts.
            case "ro", "rw": isReadOnly = parts[0] == "ro"
            case "noexec", "exec": forbidsExecution = parts[0] == "noexec"
            case "share": isShare = true
            case "no-sync": noSync = true
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

    private static func value(_ value: String?, of option: Substring, among known: [String]) throws -> String
    {
        guard let value, known.contains(value) else {
            throw usage("\(option): want \(known.joined(separator: ", "))")
        }
        return value
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
        var arguments = MountArguments(app: app, kind: isShare ? .share : .home, directory: directory)
        arguments.names = names
        arguments.attributeList = attributeList
        arguments.transport = transport
        arguments.data = data
        arguments.isReadOnly = isReadOnly
        arguments.noSync = noSync
        arguments.showsBundle = layout != "containers"
        arguments.lowDisk = lowDisk
        let client = try DaemonClient.connect(to: location, makesDevice: true, asRoot: true)
        // A line in fstab with `user` comes here with that user's rights, who may not always open a mount.
        let mounter = Mounter(
            client: client, allowsOthers: Process.effectiveUserID == 0, forbidsExecution: forbidsExecution,
            owner: owner)
        _ = try mounter.mount(arguments)
    }
}
