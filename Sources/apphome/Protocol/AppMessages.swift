/// An app as `list` prints it.
struct AppSummary: Codable, Equatable {
    var bundleID: String
    var name: String
    var version: String?
    var sharing: Sharing
    var isPlaceholder: Bool
    var mounts: [MountReport]
    /// Mounts that ended because the daemon did.
    var crashed: [CrashReport]
}

/// What an app's Info.plist offers to the outside.
struct Sharing: Codable, Equatable {
    var itunes: Bool
    var files: Bool
}

/// What `info` prints. The keys of its JSON are part of the contract.
struct AppInfo: Codable, Equatable {
    var bundleID: String
    var name: String
    var version: String?
    /// Absolute; nil for a placeholder.
    var bundle: String?
    /// The data container, absolute.
    var home: String
    var groups: [String]
    var sharing: Sharing
    /// Bytes of each area.
    var sizes: [String: Int64]
    var running: Bool
    /// What runs as the app by `apphome run`.
    var programs: [RunningProgram]?
    var mounts: [MountReport]
    var entitlements: String
}

struct InstallReport: Codable, Equatable {
    var bundleID: String
    var name: String
    var version: String?
    var isUpgrade: Bool
    var notes: [String]
}

enum MountKind: String, Codable {
    case home
    /// The iTunes File Sharing view.
    case share
    /// The bundle by itself, beside a home that does not show it.
    case bundle
    /// A group's container, where its apps find it.
    case group
    /// The same once more: locks are refused there.
    case groupView = "group-view"

    /// Whether a group is shown, and no app.
    var isOfGroup: Bool { self == .group || self == .groupView }
}

/// A mount, as `list --json` and `info --json` print it.
struct MountReport: Codable, Equatable {
    var dir: String
    var pid: Int32
    var kind: MountKind
    /// How file contents travel: `passthrough` or `splice`.
    var data: String
    /// Why they do not pass through the kernel; nil where they do.
    var dataReason: String?
    /// How requests travel: "ring" or "classic".
    var transport: String
    /// Why requests do not travel better, and what helps; nil where there is nothing to say.
    var transportReason: String?
}

/// A mount that a crash of the daemon ended.
struct CrashReport: Codable, Equatable {
    var app: String
    var dir: String
    var kind: MountKind
    /// When it was noticed: ISO 8601, UTC.
    var time: String
    /// The URL of the store that it showed; nil: this device.
    var from: String?
    /// The group that it showed; nil: the app.
    var group: String?

    /// What a person reads, with the command that mounts it again.
    var notice: String {
        let command =
            switch kind {
            case .home: "apphome mount \(app) \(dir)"
            case .share:
                "apphome share mount \(app) \(dir)" + (from.map { " --from \(shellQuoted($0))" } ?? "")
            case .group: "apphome group path \(app) \(group ?? "")"
            case .groupView: "apphome group mount \(app) \(group ?? "") \(dir)"
            case .bundle: "apphome mount \(app) HOME --layout containers --bundle \(dir)"
            }
        return "\(app)'s mount at \(dir) ended by a crash at \(time): \(command)"
    }
}

struct MountArguments: Codable, Equatable {
    var app: String
    var kind: MountKind
    /// Absolute, without links: for people. What it names is known by the folder that comes with it, and by
    /// its last component.
    var directory: String
    /// Whether the directory was made for the mount, and is removed with it.
    var madeDirectory = false
    var names: String?
    /// How skip-backup and other Apple attributes are listed: "apple" or "user".
    var attributeList: String?
    /// How requests shall travel: "auto", "ring" or "classic".
    var transport: String?
    /// How file contents shall travel: "auto", "passthrough" or "splice".
    var data: String?
    var isReadOnly = false
    /// Whether the home shows the bundle beside the data.
    var showsBundle = true
    /// The device's setting from now on.
    var lowDisk: String?
    /// Whether `run` mounts it for its program, in the device's own folder.
    var isForRun = false
    /// Whether Documents stay on this device while this home is mounted.
    var noSync = false
    /// The whole tree of Documents, where the view is the sharing one.
    var deep = false
    /// The store that the sharing view is taken from; nil: this device.
    var from: CloudAccountArguments?
    /// The group of the app that is shown, where one is.
    var group: String?
}

/// Where an app finds a group's container.
struct GroupPlace: Codable, Equatable {
    /// Absolute; nil where the app would get null.
    var directory: String?
    var isMounted = false
    /// Why it would.
    var reason: String?
}

/// What a client needs to mount: the daemon has reserved the place.
struct MountGrant: Codable, Equatable {
    /// For the mount table.
    var source: String
    var appName: String
    /// What becomes of Documents: where they sync to, or that they stay.
    var documents: String
    /// Notices of other apps' crashed mounts.
    var notices: [String]
}
