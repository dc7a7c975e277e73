internal import FuseKit
internal import Wire

/// How contents travel, in words.
extension Views {
    /// - Throws: where passthrough was asked for by name and is not to be had.
    func refuseSplice(_ view: any ServedView, _ arguments: MountArguments) throws {
        guard arguments.data == DataPath.passthrough.rawValue, let reason = view.dataReason else { return }
        throw PassthroughRefusal.fileSystem(reason).failure(at: arguments.directory)
    }
}

extension PassthroughRefusal {
    /// As `info` says it, after a colon.
    var reason: String {
        switch self {
        case .notAsked: "the mount asked for splice"
        case .notPrivileged: "the kernel gives it to root only"
        case .notOffered: "this kernel does not offer it"
        case .fileSystem(let reason): reason
        }
    }

    /// For a mount that wants passthrough or nothing.
    func failure(at directory: String) -> CommandFailure {
        CommandFailure(
            "cannot mount at \(directory) with passthrough: \(reason); mount with --data auto"
                + (self == .notPrivileged ? ", or as root" : ""))
    }
}
