internal import CLinux
internal import Posix
internal import SystemPackage

/// The folder of a directory store, whose every path is walked from its top with openat2(2): no link in it
/// leads anywhere.
struct StoreFolder: Sendable {
    let path: String
    /// Whether the open folder lies where who uses the store would wait for itself. Asked each time: another
    /// folder, or a link, may have been put there.
    var isOwn: @Sendable (borrowing Descriptor) -> Bool = { _ in false }
    /// Directories whose names are known to be on the disk. Forgotten when they are many.
    let durable = Lock<Set<String>>([])
    let leftovers = Leftovers()
    let clock = FolderClock()
    /// Held while a record uses the reserve, across its system calls: another would take it back meanwhile.
    let lending = Lock<Void>(())

    /// Where objects are written before they have a name. It marks a store, so that the empty mount point of
    /// a disk that is not there is no empty store.
    static let aside = "tmp"
    private static let directoryFlags = lx_o_directory

    /// The folder, open. It is opened for each call: a disk may be taken away and come back.
    func open() throws(StoreError) -> Descriptor {
        do throws(Errno) {
            let folder = try Descriptor(chosen: path, flags: lx_o_directory)
            if !isOwn(folder) { return folder }
        } catch .noSuchFileOrDirectory, .notDirectory {
            throw .missing("\(path): no such folder")
        } catch {
            throw StoreError(error, path)
        }
        throw .forbidden("\(path) lies in a mount that this device serves: put the store elsewhere")
    }

    func create() throws(StoreError) {
        do throws(Errno) {
            // O_PATH: a parent that may be passed through need not be readable.
            let flags = lx_o_directory | lx_o_path
            var parent = try Descriptor("/", flags: flags)
            for name in path.pathParts + [Self.aside] {
                let made = lx_mkdirat(parent.raw, name, 0o700)
                if made < 0, made != -Errno.fileExists.rawValue { throw Errno(rawValue: -made) }
                if made == 0 {
                    let readable = try Descriptor(at: parent.raw, ".", flags: lx_o_directory)
                    try valueOrErrno(lx_fsync(readable.raw, 0))
                }
                parent = try Descriptor(at: parent.raw, chosen: name, flags: flags)
            }
        } catch {
            throw StoreError(error, path)
        }
    }

    /// Nil where there is none, in a folder that is a store.
    func openDirectory(_ directory: String, in top: borrowing Descriptor) throws(StoreError) -> Descriptor? {
        let raw = top.raw
        let flags = Self.directoryFlags
        let path = directory.isEmpty ? "." : directory
        do throws(Errno) {
            return Descriptor(owning: try retrying { lx_openat_beneath(raw, path, flags, 0) })
        } catch .noSuchFileOrDirectory, .notDirectory {
            try checkIsStore(top)
            return nil
        } catch {
            throw StoreError(error, "\(self.path)/\(directory)")
        }
    }

    /// Called where something is not there: is the store?
    func checkIsStore(_ top: borrowing Descriptor) throws(StoreError) {
        var details = stat()
        let result = lx_fstatat(top.raw, Self.aside, &details, lx_at_symlink_nofollow)
        if result < 0 || !details.isDirectory {
            throw .missing("\(path) holds no store: is a disk not mounted there?")
        }
    }

    /// Opens the directory, made where it is not there, with its name and those above it on the disk.
    func makeDirectory(_ directory: String, in top: borrowing Descriptor) throws(StoreError) -> Descriptor {
        if durable.withLock({ $0.contains(directory) }),
            let found = try openDirectory(directory, in: top)
        {
            return found
        }
        try checkIsStore(top)
        do throws(Errno) {
            let made = try makeDirectories(directory.pathParts, in: top)
            durable.withLock { durable in
                if durable.count > 4096 { durable = [] }
                durable.insert(directory)
            }
            return made
        } catch {
            throw StoreError(error, "\(path)/\(directory)")
        }
    }

    /// They get the rights that the folder has: somebody may share it with a group.
    private func makeDirectories(
        _ names: [String], in top: borrowing Descriptor
    ) throws(Errno) -> Descriptor {
        var details = stat()
        try valueOrErrno(lx_fstat(top.raw, &details))
        let mode = details.permissions & 0o777
        var parent = try top.duplicate()
        for name in names {
            let raw = parent.raw
            let made = lx_mkdirat(raw, name, mode)
            if made < 0, made != -Errno.fileExists.rawValue { throw Errno(rawValue: -made) }
            let flags = Self.directoryFlags
            let child = Descriptor(owning: try retrying { lx_openat_beneath(raw, name, flags, 0) })
            // Also one that somebody else has just made, who may not have come so far.
            try valueOrErrno(lx_fsync(raw, 0))
            parent = child
        }
        return parent
    }
}

extension ObjectKey {
    /// The directory that holds the object, without a `/` at its end; empty: the top.
    var directory: String {
        text.directoryAndName.directory ?? ""
    }
    var name: String {
        text.directoryAndName.name
    }
}

extension StoreError {
    /// A system call's failure before anything had been changed.
    init(_ error: Errno, _ path: String) {
        switch error {
        case .noSpace, .diskQuotaExceeded, .fileTooLarge: self = .full("\(path): \(error)")
        case .readOnlyFileSystem, .permissionDenied, .notPermitted, .fileNameTooLong, .isDirectory,
            .notDirectory, .tooManySymbolicLinkLevels, Errno(rawValue: Self.crossDevice):
            self = .forbidden("\(path): \(error)")
        case .noSuchFileOrDirectory: self = .missing("\(path): \(error)")
        default: self = .unreachable("\(path): \(error)")
        }
    }

    /// EXDEV, which openat2(2) answers for a way that leads out of the folder.
    private static var crossDevice: Int32 { 18 }
}
