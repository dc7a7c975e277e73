/// A program that runs as an app.
struct RunningProgram: Codable, Equatable {
    /// The number of `apphome run` itself, as its caller sees it.
    var pid: Int32
    /// The program's name.
    var command: String
}

/// What a client says when it is about to run a program as an app.
struct RunArguments: Codable, Equatable {
    var app: String
    var program: RunningProgram
}

/// What a client needs to show a program its app.
struct RunGrant: Codable, Equatable {
    var bundleID: String
    var name: String
    /// `Name.app`.
    var bundleName: String
    /// The containers' UUIDs, as their directories are named.
    var dataContainer: String
    var bundleContainer: String
    var groups: [RunGroup]
    /// A folder for this app's mounts, made; absolute.
    var folder: String
}

/// A group of the app, with the UUID of its container.
struct RunGroup: Codable, Equatable {
    var name: String
    var container: String
}

/// What a purge did to one app.
struct PurgeReport: Codable, Equatable {
    var bundleID: String
    var name: String
    var freedBytes: Int64
    /// Why nothing, or not all, was taken: "running"; nil: all was.
    var kept: String?
    /// Items that could not be removed.
    var leftItems = 0
}

/// What a client asks to be purged.
struct PurgeArguments: Codable, Equatable {
    /// nil: every app.
    var app: String?
    /// Stop when so much is free; nil: take all.
    var bytesToFree: Int64?
}
