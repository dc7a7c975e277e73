internal import FuseKit
internal import Posix
internal import Wire

/// How contents travel, in words.
extension Views {
    /// - Throws: where passthrough was asked for by name and is not to be had.
    func refuseSplice(_ view: ServedView, _ arguments: MountArguments) throws {
        guard arguments.data == DataPath.passthrough.rawValue, let reason = view.dataReason else { return }
        throw PassthroughRefusal.notUsed.failure(at: arguments.directory, reason: reason)
    }
}

extension PassthroughRefusal {
    /// As `info` says it, after a colon.
    var reason: String {
        switch self {
        case .notAsked: "the mount asked for splice"
        case .notPrivileged: "the kernel gives it to root only"
        case .notOffered: "this kernel does not offer it"
        case .notUsed: "this view does not use it"
        case .mayNotLease: "without CAP_LEASE it could not be told who writes a file"
        case .leasesTellNothing: "the device's file system does not tell who writes a file"
        case .backingFileRefused(let errno): "the kernel refuses the device's file system (\(errno))"
        }
    }

    /// For a mount that wants passthrough or nothing.
    func failure(at directory: String, reason: String? = nil) -> CommandFailure {
        CommandFailure(
            "cannot mount at \(directory) with passthrough: \(reason ?? self.reason); mount with --data auto"
                + (self == .notPrivileged ? ", or as root" : ""))
    }
}
