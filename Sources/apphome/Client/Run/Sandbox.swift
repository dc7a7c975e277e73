/// What bubblewrap is told: the system read-only, the app at a device's paths, and nothing else (SPEC 13).
struct Sandbox {
    /// Where the home is mounted, outside.
    var home: String
    /// Where the bundle is, outside.
    var bundle: String
    /// The groups' containers: their UUIDs, and where they are mounted outside.
    var groups: [(container: String, path: String)] = []
    /// What toolchains keep, outside.
    var toolHome: String
    var grant: RunGrant
    /// Whether the home shows the bundle beside the data, which the layout of a device does not.
    var coversBundle: Bool
    var hasNetwork = false
    /// The descriptor with the content of `user-dirs.dirs`, where the program wants that.
    var userDirectories: Int32?
    var hasUserNamespace = true

    // The paths inside.
    var innerHome: String { "/private/var/mobile/Containers/Data/Application/\(grant.dataContainer)" }
    var innerBundle: String {
        "/private/var/containers/Bundle/Application/\(grant.bundleContainer)/\(grant.bundleName)"
    }
    static let innerToolHome = "/tool-home"
    static let innerConfiguration = "/run/configuration"

    /// Namespaces, and what every program has: also what is tried first, to see whether it works here.
    /// - Parameter links: what `/bin` and the like lead to; nil for a directory of its own.
    static func base(
        hasUserNamespace: Bool, hasNetwork: Bool, links: [(path: String, target: String?)]
    ) -> [String] {
        var words = [
            "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL",
        ]
        if hasUserNamespace { words.append("--unshare-user") }
        if !hasNetwork { words.append("--unshare-net") }
        for folder in ["/usr", "/etc", "/opt", "/nix"] { words += ["--ro-bind-try", folder, folder] }
        words += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]
        for (path, target) in links {
            words += target.map { ["--symlink", $0, path] } ?? ["--ro-bind-try", path, path]
        }
        return words
    }

    func arguments(startingIn directory: String, links: [(path: String, target: String?)]) -> [String] {
        var words = Self.base(hasUserNamespace: hasUserNamespace, hasNetwork: hasNetwork, links: links)
        if hasNetwork {
            // What /etc/resolv.conf may lead to.
            for folder in ["/run/systemd/resolve", "/run/resolvconf"] {
                words += ["--ro-bind-try", folder, folder]
            }
        }
        words += ["--symlink", "private/var", "/var", "--symlink", "../tmp", "/private/tmp"]
        words += ["--perms", "1777", "--tmpfs", "/private/var/tmp"]
        words += ["--bind", home, innerHome, "--bind", bundle, innerBundle]
        if coversBundle {
            let covered = innerHome + "/" + grant.bundleName
            words += ["--tmpfs", covered, "--remount-ro", covered]
        }
        for (container, path) in groups {
            words += ["--bind", path, "/private/var/mobile/Containers/Shared/AppGroup/\(container)"]
        }
        words += ["--bind", toolHome, Self.innerToolHome]
        if let userDirectories {
            words += ["--tmpfs", Self.innerConfiguration]
            words += ["--file", String(userDirectories), Self.innerConfiguration + "/user-dirs.dirs"]
        }
        // Last: what was made to mount at lies in it.
        return words + ["--remount-ro", "/", "--chdir", directory]
    }
}
