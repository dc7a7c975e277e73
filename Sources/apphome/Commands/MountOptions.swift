internal import FuseKit
internal import Posix
internal import Wire

/// Mount options as mount(8) and fstab have them: `-o ro,names=simulator,…`.
struct MountOptions {
    private(set) var device: String?
    private(set) var userID: UInt32?
    private(set) var groupID: UInt32?
    /// Nil where nothing was said of it, as all below.
    var isReadOnly: Bool?
    private(set) var forbidsExecution: Bool?
    /// The sharing view, in the place of the home.
    private(set) var isSharing = false
    private(set) var allowsOthers = false
    private var names: String?
    private var attributeList: String?
    private var transport: String?
    private var data: String?
    private var showsBundle: Bool?
    private var lowDisk: String?
    private var keepsDocuments = false
    private var showsConflicts: Bool?

    /// - Parameter text: options with commas between them; of two that contradict each other the last counts.
    /// - Throws: exit status 64 for what is no option, by its name.
    mutating func take(_ text: String) throws {
        for option in text.split(separator: ",") {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            try take(parts.first ?? "", parts.count > 1 ? parts[1] : nil, String(option))
        }
    }

    private mutating func take(_ name: String, _ value: String?, _ option: String) throws {
        func choice(among known: [String]) throws -> String {
            guard let value, known.contains(value) else {
                throw Self.usage("\(option): want \(known.joined(separator: ", "))")
            }
            return value
        }
        switch name {
        case "device": device = value
        case "uid": userID = try Self.number(value, option)
        case "gid": groupID = try Self.number(value, option)
        case "names": names = try choice(among: ["device", "simulator", "legacy"])
        case "xattr-list": attributeList = try choice(among: ["apple", "user"])
        case "transport": transport = try choice(among: TransportChoice.allCases.map(\.rawValue))
        case "data": data = try choice(among: DataPath.allCases.map(\.rawValue))
        case "layout": showsBundle = try choice(among: ["home", "containers"]) == "home"
        case "low-disk": lowDisk = value
        case "ro", "rw": isReadOnly = name == "ro"
        case "noexec", "exec": forbidsExecution = name == "noexec"
        case "share":
            guard value == nil else {
                throw Self.usage(
                    "\(option): one mount is one view; mount the sharing view by itself, with -o share")
            }
            isSharing = true
        case "no-sync": keepsDocuments = true
        case "conflicts": showsConflicts = try choice(among: ["hidden", "visible"]) == "visible"
        case "allow_other": allowsOthers = true
        case _ where Self.holdsAnyway(name) || Self.isOfTimes(name): return
        default: throw Self.usage("unknown mount option \(option)")
        }
    }

    /// Changes what something was said of.
    func apply(to arguments: inout MountArguments) {
        arguments.names = names ?? arguments.names
        arguments.attributeList = attributeList ?? arguments.attributeList
        arguments.transport = transport ?? arguments.transport
        arguments.data = data ?? arguments.data
        arguments.showsBundle = showsBundle ?? arguments.showsBundle
        arguments.isReadOnly = isReadOnly ?? arguments.isReadOnly
        arguments.noSync = keepsDocuments || arguments.noSync
        guard arguments.kind == .home else { return }
        arguments.lowDisk = lowDisk ?? arguments.lowDisk
        arguments.showsConflicts = showsConflicts ?? arguments.showsConflicts
    }

    /// What mount(8) and fstab add for themselves, and what is so in every home: nosuid and nodev in the
    /// kernel, default_permissions for root's mounts.
    private static func holdsAnyway(_ name: String) -> Bool {
        let known = [
            "defaults", "auto", "noauto", "nofail", "_netdev", "user", "nouser", "users", "owner", "group",
            "nosuid", "nodev", "async", "sync", "default_permissions",
        ]
        return known.contains(name) || name.hasPrefix("x-") || name.hasPrefix("comment")
    }

    /// How times of access are kept is the backing file system's matter; other FUSE file systems accept
    /// these too.
    private static func isOfTimes(_ name: String) -> Bool {
        let plain = name.hasPrefix("no") ? String(name.dropFirst(2)) : name
        return ["atime", "diratime", "relatime", "strictatime", "lazytime"].contains(plain)
    }

    private static func number(_ value: String?, _ option: String) throws -> UInt32 {
        guard let number = value.flatMap({ UInt32($0) }), number != .max else {
            throw usage("\(option) wants a number")
        }
        return number
    }

    private static func usage(_ text: String) -> CommandFailure { CommandFailure(text, exitStatus: 64) }
}
