public import Posix

extension Call where Reply == MountGrant {
    /// Without a deadline: a view may come from a store.
    /// - Parameter folder: holds the directory to mount at; O_PATH is enough.
    public static func prepareMount(_ arguments: MountArguments, in folder: SharedDescriptor) -> Call {
        Call(.prepareMount(arguments), [folder]) {
            if case .mountGranted(let grant) = $0 { grant } else { nil }
        }
    }
}

extension Call where Reply == MountReport {
    /// - Parameter device: the opened `/dev/fuse` of the mount that was prepared on this connection.
    public static func attachMount(_ device: SharedDescriptor) -> Call {
        Call(.attachMount, [device], deadlineSeconds: quickSeconds) {
            if case .mounted(let report) = $0 { report } else { nil }
        }
    }
}

extension Call where Reply == Bool {
    /// Before the client unmounts.
    /// - Returns: whether the mount point was made for the mount, and is to be removed with it.
    public static func beginUnmount(of source: String, at directory: String) -> Call {
        Call(
            .unmount(source: source, directory: directory, isDone: false), deadlineSeconds: quickSeconds
        ) {
            if case .unmounting(let removesDirectory) = $0 { removesDirectory } else { nil }
        }
    }
}

extension Call where Reply == [String] {
    /// After the client has unmounted; answered when the session is over.
    /// - Returns: what is to be said of it.
    public static func endUnmount(of source: String, at directory: String) -> Call {
        telling(.unmount(source: source, directory: directory, isDone: true), deadlineSeconds: quickSeconds)
    }
}

extension Call where Reply == ContainerPlace {
    /// - Parameter kind: `home` or `bundle`.
    public static func seen(_ kind: MountKind, of app: String) -> Call {
        Call(.seenAt(app: app, kind: kind), deadlineSeconds: quickSeconds) {
            if case .groupPlace(let place) = $0 { place } else { nil }
        }
    }

    /// - Parameter isForRun: whether a program asks: what is mounted for it alone goes with it.
    public static func place(ofGroup group: String, app: String, isForRun: Bool) -> Call {
        Call(.groupPlace(app: app, group: group, isForRun: isForRun), deadlineSeconds: quickSeconds) {
            if case .groupPlace(let place) = $0 { place } else { nil }
        }
    }
}

extension Call where Reply == Void {
    /// Answered when the mount at that directory has ended.
    public static func awaitEnd(ofMountAt directory: String) -> Call {
        doing(.awaitEnd(directory: directory))
    }
}

extension Call where Reply == RunGrant {
    /// Without a deadline: it waits for whatever changes the app just now.
    public static func beginRun(_ arguments: RunArguments) -> Call {
        Call(.beginRun(arguments)) { if case .run(let grant) = $0 { grant } else { nil } }
    }
}

extension Call where Reply == [MountKind] {
    /// - Returns: what was mounted for programs, if nothing runs as the app any more.
    public static var endRun: Call {
        Call(.endRun, deadlineSeconds: quickSeconds) {
            if case .runEnded(let kinds) = $0 { kinds } else { nil }
        }
    }
}
