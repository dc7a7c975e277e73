public import Posix

// Backups take as long as they take: none has a deadline.

extension Call where Reply == BackupCreated {
    /// - Parameter folder: to put the backup's folder in.
    public static func createBackup(_ arguments: BackupArguments, in folder: SharedDescriptor) -> Call {
        creating(.create(arguments), [folder])
    }

    /// Xcode's package of an app's container.
    public static func createPackage(
        _ name: String, of app: String, in folder: SharedDescriptor
    ) -> Call {
        creating(.createPackage(app: app, name: name), [folder])
    }

    public static func createSnapshot(_ arguments: SnapshotArguments) -> Call {
        creating(.createSnapshot(arguments), [])
    }

    private static func creating(_ request: BackupRequest, _ descriptors: [SharedDescriptor]) -> Call {
        Call(.backup(request), descriptors, stream: .progress) {
            if case .backup(.created(let created)) = $0 { created } else { nil }
        }
    }
}

extension Call where Reply == BackupMeasure {
    /// - Parameter apps: none: all of the device.
    public static func measureBackup(of apps: [String]) -> Call {
        Call(.backup(.measure(apps: apps)), stream: .progress) {
            if case .backup(.measured(let measure)) = $0 { measure } else { nil }
        }
    }
}

extension Call where Reply == [CloudSnapshot] {
    public static var snapshots: Call {
        Call(.backup(.listSnapshots), stream: .progress) {
            if case .backup(.snapshots(let snapshots)) = $0 { snapshots } else { nil }
        }
    }
}

extension Call where Reply == [UndoCopy] {
    /// - Parameters:
    ///   - apps: none: all of the device.
    ///   - isConfirmed: false: only say what would be removed.
    public static func forgetUndo(of apps: [String], isConfirmed: Bool) -> Call {
        Call(.backup(.forgetUndo(apps: apps, isConfirmed: isConfirmed))) {
            if case .backup(.undoCopies(let copies)) = $0 { copies } else { nil }
        }
    }
}

extension Call where Reply == RestoreOutcome {
    /// - Parameter backup: its folder.
    public static func restore(_ arguments: RestoreArguments, from backup: SharedDescriptor) -> Call {
        restoring(.restore(arguments), [backup])
    }

    /// Xcode's package of an app's container.
    /// - Parameter app: nil: the one that the package is of.
    public static func restorePackage(
        _ package: SharedDescriptor, to app: String?, remounts: Bool
    ) -> Call {
        restoring(.restorePackage(app: app, remounts: remounts), [package])
    }

    public static func restoreSnapshot(_ arguments: SnapshotRestoreArguments) -> Call {
        restoring(.restoreSnapshot(arguments), [])
    }

    /// Gives an app an empty container; what it replaces is kept as that of a restore.
    public static func reset(_ app: String, remounts: Bool) -> Call {
        restoring(.reset(app: app, remounts: remounts), [])
    }

    /// Gives an app the containers back that its last restore replaced.
    /// - Parameter isConfirmed: also where a restore that was begun later did not take place.
    public static func undoRestore(of app: String, remounts: Bool, isConfirmed: Bool) -> Call {
        restoring(.undoRestore(app: app, remounts: remounts, isConfirmed: isConfirmed), [])
    }

    private static func restoring(_ request: BackupRequest, _ descriptors: [SharedDescriptor]) -> Call {
        Call(.backup(request), descriptors, stream: .progress) {
            if case .backup(.restored(let outcome)) = $0 { outcome } else { nil }
        }
    }
}
