internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// A device of this command's own, which goes with it, however it ends: by a return, an error, or a kill.
///
/// Another process removes it, which waits for the end of a pipe that only this one has.
final class TemporaryDevice {
    let location: DeviceLocation
    private let remover: Child
    private var alive: SharedDescriptor?

    /// - Throws: where no folder can be made below `TMPDIR`, or `/tmp`.
    init() throws {
        let parent = environment("TMPDIR") ?? "/tmp"
        var template = Array("\(try absolute(parent))/apphome-ci-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                "cannot make a folder for a device in \(parent): \(Errno(rawValue: errno)); name another"
                    + " with TMPDIR")
        }
        let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        var ends: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&ends))
        let reader = Descriptor(owning: ends[0])
        alive = SharedDescriptor(Descriptor(owning: ends[1]))
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        remover = try Child(
            "/proc/self/exe", arguments: [TemporaryDeviceRemover.argument, path],
            environment: TemporaryDeviceRemover.variables,
            descriptors: [reader.raw, null.raw, null.raw], name: "apphome", ownSession: true)
        location = try DeviceLocation(path)
    }

    /// Removes it, and waits for that.
    /// - Throws: where something of it is left.
    func remove() throws {
        alive = nil
        guard try remover.wait() == 0 else {
            throw CommandFailure("the device \(location.path) could not be removed: something uses it still")
        }
    }
}

/// The process that removes a `TemporaryDevice`.
enum TemporaryDeviceRemover {
    /// The program's first word then; the second is the device's folder.
    static let argument = "remove-temporary-device"

    /// Programs of the app end with their command, their mounts a moment later.
    private static let patienceSeconds = 30.0

    private static let pauseMicroseconds: UInt32 = 20_000

    /// Those of this command by which it finds where devices are noted.
    static var variables: [String] {
        ["HOME", "XDG_DATA_HOME"].compactMap { name in environment(name).map { "\(name)=\($0)" } }
    }

    /// Waits until standard input ends, and removes the device.
    /// - Returns: the exit status: 0 where nothing is left of it.
    static func run(_ arguments: [String]) -> Int32 {
        guard let path = arguments.first, let location = try? DeviceLocation(path) else { return 64 }
        _ = try? Descriptor(owning: STDIN_FILENO).readAll()
        let deadline = Deadline(seconds: patienceSeconds)
        while !deadline.hasPassed {
            // What failed before it made a device, or went by somebody else's hand.
            if rmdir(path) == 0 || errno == ENOENT { return 0 }
            guard let held = try? HeldDevice(location) else {
                usleep(pauseMicroseconds)
                continue
            }
            DeviceIndex.forget(path)
            return (try? held.remove()) == nil ? 1 : 0
        }
        return 1
    }
}
