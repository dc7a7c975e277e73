internal import CLinux
internal import Databases
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SystemPackage

/// The helper process that searches one database: an app may have made it so that SQLite does not come to an
/// end with it, or ends there.
public enum DatabaseSearchTool {
    /// The first argument that makes a program this one: `PROGRAM database-search PATH SECONDS`, with the
    /// UUIDs of containers on standard input, a line each.
    public static let argument = "database-search"
    /// The descriptor that the report is written to.
    static let reportNumber: Int32 = 3
    /// After its time it ends by itself, with what it has found; but for a mount that does not answer.
    private static let graceSeconds = 5.0
    static let killSeconds = 10.0
    /// SQLite's; beside it is what one row holds.
    private static let memoryBytes: Int64 = 48 << 20

    /// - Parameter arguments: those after the first.
    /// - Returns: the exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2, let seconds = Double(arguments[1]), (0..<1e6).contains(seconds) else {
            return 1
        }
        let deadline = Deadline(seconds: seconds)
        alarm(UInt32(seconds + graceSeconds))
        Connection.limitMemory(bytes: memoryBytes)
        do {
            let lines = try Descriptor(owning: STDIN_FILENO).readAll()
            let known = lines.split(separator: UInt8(ascii: "\n")).compactMap {
                ContainerID(String(decoding: $0, as: UTF8.self))
            }
            let report = Descriptor(owning: reportNumber)
            let found = search(arguments[0], Set(known), until: deadline)
            try report.writeAll(Array(try JSONEncoder().encode(found)))
            return 0
        } catch {
            return 1
        }
    }

    private static func search(_ path: String, _ known: Set<ContainerID>, until deadline: Deadline)
        -> DatabaseReport
    {
        do {
            var search = try DatabaseSearch(path, ContainerSearch(known: known), until: deadline)
            return search.run()
        } catch {
            return DatabaseReport(.unreadable)
        }
    }
}

/// Starts that process for each database.
public struct DatabaseSearchProcess: DatabaseExaminer, Sendable {
    private let program: String
    private let known: Set<ContainerID>
    /// Where a path of a finding lies: the first directory of the path, or "" for the home.
    private let places: [String: String]
    private let time: DatabaseTime

    /// - Parameters:
    ///   - program: one that calls `DatabaseSearchTool` where it is told to.
    ///   - home: where the home is mounted: absolute, without links.
    ///   - groups: where groups are, by the names that their paths begin with.
    ///   - time: what all databases may take together, those of other apps among them.
    public init(
        program: String = "/proc/self/exe", known: Set<ContainerID>, home: String,
        groups: [String: String] = [:], time: DatabaseTime = DatabaseTime()
    ) {
        self.time = time
        self.program = program
        self.known = known
        places = groups.merging(["": home]) { $1 }
    }

    public func search(_ path: String) -> DatabaseReport {
        let place = place(of: path)
        guard let share = time.share(of: place) else { return DatabaseReport(.outOfTime) }
        let start = ContinuousClock.now
        defer { time.spend(start.duration(to: .now) / .seconds(1), of: share) }
        return search(at: place, seconds: share.seconds)
    }

    private func search(at place: String, seconds: Double) -> DatabaseReport {
        do {
            let lines = known.map { $0.text + "\n" }.joined()
            let input = try Descriptor.holding(Array(lines.utf8))
            let output = try Descriptor.holding([])
            let null = try Descriptor("/dev/null", flags: lx_o_rdwr)
            let child = try Child(
                program, arguments: [DatabaseSearchTool.argument, place, "\(seconds)"],
                environment: ["SWIFT_BACKTRACE=enable=no"],
                descriptors: [input.raw, null.raw, null.raw, output.raw])
            let limit = Deadline(seconds: seconds + DatabaseSearchTool.killSeconds)
            guard child.isOver(by: limit), try child.wait() == 0 else {
                return DatabaseReport(.failed)
            }
            try valueOrErrno(lx_lseek(output.raw, 0, 0))
            return try JSONDecoder().decode(DatabaseReport.self, from: Data(output.readAll()))
        } catch {
            return DatabaseReport(.failed)
        }
    }

    private func place(of path: String) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
        if parts.count == 2, let group = String(parts[0]).flatMap({ places[$0] }), let rest = String(parts[1])
        {
            return group + "/" + rest
        }
        return (places[""] ?? "") + "/" + path
    }
}
