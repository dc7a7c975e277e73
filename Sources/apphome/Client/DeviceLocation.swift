internal import CloudStore
internal import Glibc
internal import Posix
internal import Wire

/// Where a device is, before anything of it is opened.
struct DeviceLocation: Equatable {
    /// Absolute.
    let path: String
    /// Who owns what is made there.
    let owner: Owner

    static let environmentName = "APPHOME_DEVICE"
    static let defaultName = "default"

    /// - Parameter text: a name, or a path where it has a slash; nil: `APPHOME_DEVICE`, or `default`.
    /// - Parameter owner: whose device it is, where root names somebody else's (its home then counts).
    init(_ text: String?, owner: Owner? = nil) throws {
        let named = text ?? environment(Self.environmentName) ?? Self.defaultName
        self.owner = owner ?? .current
        if named.hasSlash {
            // `./phone/` is named again without what says nothing.
            path = "/" + (try absolute(named).pathParts.filter { $0 != "." }.joined(separator: "/"))
        } else {
            guard !named.isEmpty, named != ".", named != "..", !named.hasPrefix("-") else {
                throw CommandFailure("\"\(named)\" is no device: name one, or give a path with a slash in it")
            }
            path = try Self.devicesFolder(of: owner) + "/" + named
        }
    }

    /// Where devices with a name are; for another owner only the user database counts.
    static func devicesFolder(of owner: Owner?) throws -> String { try folder(of: owner) + "/devices" }

    /// Where all that is AppHome's is; for another owner only the user database counts.
    static func folder(of owner: Owner?) throws -> String { try dataFolder(of: owner) + "/apphome" }

    /// The store that a new device is signed in to: a folder of its owner's, which several devices share;
    /// none (SPEC.md 1) for a device that has a path of its own, or is made where `CI` is set.
    var defaultAccount: String {
        get throws {
            guard name != path, environment("CI") == nil else { return StoreURL.none.description }
            let folder = try Self.folder(of: owner == .current ? nil : owner) + "/cloud"
            return StoreURL.folder(folder).description
        }
    }

    private static func dataFolder(of owner: Owner?) throws -> String {
        if owner == nil {
            // The XDG base directory specification ignores a relative path.
            if let data = environment("XDG_DATA_HOME"), data.isAbsolutePath { return data }
            if let home = environment("HOME"), home.isAbsolutePath { return home + "/.local/share" }
        }
        let uid = (owner ?? .current).uid
        guard let user = Process.user(uid), user.home.isAbsolutePath else {
            throw CommandFailure(
                "user \(uid) has no home directory: name the device by its path, with --device")
        }
        return user.home + "/.local/share"
    }
}

/// A variable of the environment; nil where it is not set or empty.
func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}

/// The path from the root, without looking at the file system but for the working directory.
func absolute(_ path: String) throws -> String {
    if path.isAbsolutePath { return path }
    guard let working = getcwd(nil, 0) else {
        throw CommandFailure("the working directory is gone: change to another, or give absolute paths")
    }
    defer { free(working) }
    let folder = String(cString: working)
    return folder == "/" ? "/" + path : folder + "/" + path
}
