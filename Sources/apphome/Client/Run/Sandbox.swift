internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import Wire

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
    /// AppHome's program, outside; nil: it is not shown.
    var command: String?
    /// Whether the home shows the bundle beside the data, which the layout of a device does not.
    var coversBundle: Bool
    var hasNetwork = false
    /// What no program is shown where it lies in a folder that is shown: devices, and mounts of AppHome.
    /// Absolute, without links.
    var hidden: [String] = []
    /// Folders of the system that it sees where they lie.
    var bound: [BoundFolder] = []
    /// What programs of this kind read of their settings.
    var settings: ProgramSettings?

    // The paths inside.
    var innerHome: String { "/private/var/mobile/Containers/Data/Application/\(grant.dataContainer)" }
    var innerBundle: String {
        "/private/var/containers/Bundle/Application/\(grant.bundleContainer)/\(grant.bundleName)"
    }
    static let innerToolHome = "/tool-home"
    static let innerConfiguration = "/run/configuration"
    /// AppHome's own program, and the socket by which it is the app.
    static let innerPrograms = "/run/apphome"
    static let innerCommand = innerPrograms + "/apphome"
    static let innerSocket = innerPrograms + "/socket"

    /// Namespaces, and what every program has: also what is tried first, to see whether it works here.
    /// - Parameter filter: the descriptor with the program that refuses system calls.
    static func base(hasNetwork: Bool, filter: Int32) -> [String] {
        var words = [
            "--die-with-parent", "--new-session", "--unshare-user", "--unshare-pid", "--unshare-ipc",
            "--unshare-uts",
            "--cap-drop", "ALL", "--seccomp", String(filter),
        ]
        if !hasNetwork { words.append("--unshare-net") }
        for folder in shownFolders { words += ["--ro-bind-try", folder, folder] }
        words += ["--proc", "/proc"] + coveredKernelFiles
        words += ["--dev", "/dev"] + memory(at: "/dev/shm") + ["--remount-ro", "/dev"]
        words += memory(at: "/tmp")
        for (path, target) in links {
            words += target.map { ["--symlink", $0, path] } ?? ["--ro-bind-try", path, path]
        }
        return words
    }

    /// A folder that everybody may write to, in memory: a quarter of the machine's at most.
    private static func memory(at path: String) -> [String] {
        let size = sysconf(Int32(_SC_PHYS_PAGES)) / 4 * sysconf(Int32(_SC_PAGESIZE))
        return ["--size", String(size), "--perms", "1777", "--tmpfs", path]
    }

    /// Of the system, read-only.
    private static let shownFolders = ["/usr", "/etc", "/opt", "/nix"]

    /// Where the system's programs are that every program sees where they lie; without links.
    static var systemFolders: [String] {
        (shownFolders + links.map(\.path)).compactMap { try? MountPoint.resolve($0) }
    }

    /// What is not the system's where it has the same path.
    static let madeUpFolders = ["/proc", "/dev", "/run", "/private", "/var"]

    /// Builds with the network for everybody.
    private static let builder = "/nix/var/nix/daemon-socket"

    /// What lies in what is shown and is no program's to see: a socket can be used through a read-only mount.
    private var coveredPlaces: [String] {
        Self.shownFolders.flatMap { folder -> [String] in
            // It may be a link: what is hidden is named without.
            guard let outside = try? MountPoint.resolve(folder) else { return [] }
            let places = Self.places(hidden + [Self.builder], in: outside)
            // What lies in another of them is covered with that.
            let covered = places.filter { place in
                !places.contains { $0 != place && place.isPath(in: $0) }
            }
            return covered.map { place in
                folder + String(decoding: place.utf8.dropFirst(outside.utf8.count), as: UTF8.self)
            }
        }
    }

    /// Covers those, and shows the folders that are bound, of which one may lie in them: a place for that is
    /// made before they are read-only. What lies in another folder comes after that.
    private var coveringWords: [String] {
        let covered = coveredPlaces
        return covered.flatMap { ["--tmpfs", $0] }
            + bound.sorted { $0.path.utf8.count < $1.path.utf8.count }.flatMap {
                [$0.isWritable ? "--bind" : "--ro-bind", $0.path, $0.path]
            }
            + covered.flatMap { ["--remount-ro", $0] }
    }

    /// What is hidden and lies in a folder, which is absolute and without links.
    func hiddenPlaces(in folder: String) -> [String] { Self.places(hidden, in: folder) }

    private static func places(_ all: [String], in folder: String) -> [String] {
        all.filter { $0.isPath(in: folder) && access($0, F_OK) == 0 }
    }

    /// What `/bin` and the like lead to on this system; nil: directories of their own.
    private static var links: [(path: String, target: String?)] {
        ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].compactMap { path in
            guard access(path, F_OK) == 0 else { return nil }
            return (path, (try? linkTarget(path)).map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// What in /proc belongs to the kernel and not to a process: the settings read-only, the rest empty or
    /// closed. There is no /sys.
    private static var coveredKernelFiles: [String] {
        // The first process is bubblewrap, of the same user: its memory can be written there.
        var words = ["--tmpfs", "/proc/1", "--remount-ro", "/proc/1", "--ro-bind", "/proc/sys", "/proc/sys"]
        for folder in ["acpi", "asound", "bus", "fs", "irq", "scsi"] where isInProc(folder) {
            words += ["--tmpfs", "/proc/" + folder, "--remount-ro", "/proc/" + folder]
        }
        let files = [
            "kcore", "key-users", "keys", "kmsg", "latency_stats", "mtrr", "sched_debug", "sysrq-trigger",
            "timer_list", "timer_stats",
        ]
        for file in files where isInProc(file) { words += ["--ro-bind", "/dev/null", "/proc/" + file] }
        return words
    }

    private static func isInProc(_ name: String) -> Bool { access("/proc/" + name, F_OK) == 0 }

    /// Files that are shown in place of the system's, or where it has none, read-only: by their paths inside.
    var files: [(path: String, content: String)] {
        var files: [(path: String, content: String)] = []
        if let users = systemText(Self.users) {
            let known = getpwuid(getuid())?.pointee
            // Nobody may know him, where his number was chosen at random.
            let name = known.map { String(cString: $0.pw_name) } ?? "mobile"
            let user = (name, known?.pw_gid ?? getgid())
            files.append(
                (Self.users, PasswordFile.content(from: users, userID: getuid(), user: user, home: innerHome))
            )
        }
        if let settings { files.append((Self.innerConfiguration + "/" + settings.name, settings.content)) }
        return files
    }

    private static let users = "/etc/passwd"

    /// - Parameters:
    ///   - filter: as for `base`.
    ///   - files: the paths of `files`, and descriptors with what they hold.
    func arguments(
        startingIn directory: String, filter: Int32, files: [(path: String, descriptor: Int32)]
    ) -> [String] {
        var words = Self.base(hasNetwork: hasNetwork, filter: filter)
        if hasNetwork {
            // What /etc/resolv.conf may lead to.
            for folder in ["/run/systemd/resolve", "/run/resolvconf"] {
                words += ["--ro-bind-try", folder, folder]
            }
        }
        words += ["--symlink", "private/var", "/var", "--symlink", "../tmp", "/private/tmp"]
        words += ["--symlink", "../../tmp", "/private/var/tmp"]
        words += ["--bind", home, innerHome, "--bind", bundle, innerBundle]
        if coversBundle {
            let covered = innerHome + "/" + grant.bundleName
            words += ["--tmpfs", covered, "--remount-ro", covered]
        }
        for (container, path) in groups {
            words += ["--bind", path, "/private/var/mobile/Containers/Shared/AppGroup/\(container)"]
        }
        words += ["--ro-bind", grant.socket, Self.innerSocket]
        if let command { words += ["--ro-bind-try", command, Self.innerCommand] }
        words += ["--bind", toolHome, Self.innerToolHome] + coveringWords
        if settings != nil { words += ["--size", String(1 << 20), "--tmpfs", Self.innerConfiguration] }
        for (path, descriptor) in files { words += ["--ro-bind-data", String(descriptor), path] }
        // Last: what was made to mount at lies in it.
        return words + ["--remount-ro", "/", "--chdir", directory]
    }
}
