internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// A folder of the system that a program in the sandbox sees where it lies: a checkout, mostly.
struct BoundFolder: Equatable {
    /// As the person named it; absolute and without links once it is resolved.
    let path: String
    let isWritable: Bool

    private static let writable = ":rw"

    /// - Parameter argument: `DIR`, or `DIR:rw` where the program may write to it.
    init?(argument: String) {
        isWritable = argument.hasSuffix(Self.writable)
        path = isWritable ? String(argument.dropLast(Self.writable.count)) : argument
        guard !path.isEmpty else { return nil }
    }

    private init(path: String, isWritable: Bool) { (self.path, self.isWritable) = (path, isWritable) }

    /// What the sandbox has of its own there.
    private static let taken = [
        "/proc", "/sys", "/dev", "/private", Sandbox.innerToolHome, Sandbox.innerConfiguration,
        Sandbox.innerPrograms,
    ]

    /// The folder that there is.
    /// - Parameters:
    ///   - others: where other apps' files are, absolute and without links.
    ///   - hidden: these, and what else no app is shown. It cannot be covered in what is bound: what it lies
    ///     in could be moved.
    /// - Throws: where it is no folder, or what is in it is not for the app to see.
    func resolved(others: [String], hidden: [String]) throws -> BoundFolder {
        let found = try MountPoint.resolve(try absolute(path))
        var status = stat()
        guard stat(found, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure("cannot bind \(path): it is no folder that is here")
        }
        if let place = Self.taken.first(where: { found.isPath(in: $0) || $0.isPath(in: found) }) {
            throw CommandFailure(
                "cannot bind \(path): in the sandbox \(place) is another one; bind a folder of your own")
        }
        if let place = others.first(where: { found.isPath(in: $0) }) {
            throw CommandFailure("cannot bind \(path): no app is shown what lies in \(place)")
        }
        if let place = hidden.first(where: { $0.isPath(in: found) && access($0, F_OK) == 0 }) {
            throw CommandFailure(
                "cannot bind \(path): it has \(place) in it, which no app is shown; bind a folder below it")
        }
        return BoundFolder(path: found, isWritable: isWritable)
    }
}
