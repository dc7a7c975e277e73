internal import CLinux
internal import Glibc
internal import Posix

/// A program that keeps a mount busy.
public struct MountHolder: Sendable, Equatable, CustomStringConvertible {
    public let processID: Int32
    public let name: String
    /// How it holds the mount: "open file", "working directory", "root directory" or "mapped file".
    public let reason: String

    public var description: String { "\(name) (pid \(processID), \(reason))" }

    /// The programs that hold `entry`, as far as this user may look into them.
    ///
    /// Only /proc is read, by names and numbers: nothing here asks the mounted file system, which may not
    /// answer any more.
    public static func all(of entry: MountEntry) -> [MountHolder] {
        names(in: "/proc").compactMap(Int32.init).sorted().compactMap { processID in
            // Who asks may stand in it too, but ends by itself.
            guard processID != getpid(), let reason = reason(processID, entry) else { return nil }
            let name = systemText("/proc/\(processID)/comm")?.split(separator: "\n").first.map(String.init)
            return MountHolder(processID: processID, name: name ?? "?", reason: reason)
        }
    }

    private static func reason(_ processID: Int32, _ entry: MountEntry) -> String? {
        let place = "/proc/\(processID)"
        let descriptors = names(in: place + "/fdinfo")
        let marker = "mnt_id:\t\(entry.mountID)\n"
        if descriptors.contains(where: { systemText("\(place)/fdinfo/\($0)")?.contains(marker) == true }) {
            return "open file"
        }
        if isInside(place + "/cwd", entry) { return "working directory" }
        if isInside(place + "/root", entry) { return "root directory" }
        return mapsFile(place, entry) ? "mapped file" : nil
    }

    private static func isInside(_ link: String, _ entry: MountEntry) -> Bool {
        guard let target = try? linkTarget(link) else { return false }
        return String(decoding: target, as: UTF8.self).isPath(in: entry.mountPoint)
    }

    /// A line of maps ends with: device inode path, the device in hexadecimal.
    private static func mapsFile(_ place: String, _ entry: MountEntry) -> Bool {
        let numbers = entry.device.split(separator: ":").compactMap { UInt32($0) }
        guard numbers.count == 2, let maps = systemText(place + "/maps") else { return false }
        let device = [numbers[0], numbers[1]].map { hexadecimal($0) }.joined(separator: ":")
        return maps.parts(between: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 5)
            return fields.count > 4 && fields[3] == device && fields[4] != "0"
        }
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
    }

    private static func names(in directory: String) -> [String] {
        guard let listed = try? Descriptor(directory, flags: O_RDONLY | O_DIRECTORY),
            let names = try? DirectoryEntries.names(in: listed)
        else { return [] }
        return names.map(\.nameText)
    }
}
