internal import CLinux
public import Posix
internal import PropertyLists
internal import SystemPackage

/// Xcode's package of an app's container, `Name.xcappdata`: a folder with the whole container in `AppData`,
/// and a property list that names the app.
public enum XcappData {
    static let infoFileName = "AppDataInfo.plist"
    static let dataFolder = "AppData"
    private static let newSuffix = ".new"

    /// The app that the container belongs to.
    public struct Info: Sendable, Equatable {
        public var bundleID: String
        public var name: String?
        public var version: String?

        public init(bundleID: String, name: String? = nil, version: String? = nil) {
            self.bundleID = bundleID
            self.name = name
            self.version = version
        }
    }

    /// Writes the package `name` of `tree` into `destination`, built aside and put in place in one step; one
    /// that is there is replaced.
    ///
    /// - Parameter tree: the container with the rule `.everything`: caches, `tmp` and flagged items too, as
    ///   Xcode takes them.
    /// - Returns: what is in it, and what could not be read.
    public static func write(
        _ info: Info, _ tree: DomainTree, named name: String, in destination: borrowing Descriptor,
        progress: BackupWriter.Progress = { _ in }
    ) throws(BackupError) -> BackupReport {
        let raw = destination.raw
        return try BackupError.translating("write \(name)") {
            guard StoredPath.isValid(name), !name.hasSlash else { throw Errno.invalidArgument }
            return try FolderLock.hold(raw, isWaiting: { try progress(BackupReport()) }) {
                try write(info, tree, named: name, in: raw, progress)
            }
        }
    }

    private static func write(
        _ info: Info, _ tree: DomainTree, named name: String, in raw: Int32,
        _ progress: BackupWriter.Progress
    ) throws -> BackupReport {
        let new = name + newSuffix
        let isThere = try FileTree.exists(raw, name)
        if isThere { try Files.refuseWithoutExchange(raw, of: name) }
        try FolderLock.makeRoom(raw, new) { try progress(BackupReport()) }
        let report: BackupReport
        do { report = try build(info, tree, new, in: raw, progress) } catch {
            try? TreeRemoval.remove(raw, new)
            throw error
        }
        if isThere {
            try Renaming.exchange(new, name, in: raw)
        } else {
            try Renaming.withoutReplacing(new, in: raw, to: name)
        }
        try valueOrErrno(lx_fsync(raw, 0))
        if isThere { _ = try FolderLock.removeReplaced(raw, new) }
        return report
    }

    private static func build(
        _ info: Info, _ tree: DomainTree, _ new: String, in raw: Int32, _ progress: BackupWriter.Progress
    ) throws -> BackupReport {
        let package = try Files.makeDirectory(raw, new, mode: 0o755)
        let data = try Files.makeDirectory(package.raw, dataFolder, mode: 0o755)
        var report = BackupReport()
        try copy(tree, to: data.raw, owner: nil, limitBytes: .max, &report, progress)
        try Files.write(package.raw, infoFileName, try bytes(of: info))
        try valueOrErrno(lx_syncfs(package.raw))
        return report
    }

    /// The app that the package in `directory` is of; nil where it does not say.
    /// - Throws: `notABackup` where it has no container.
    public static func info(of directory: borrowing Descriptor) throws(BackupError) -> Info? {
        let raw = directory.raw
        return try BackupError.translating("read the package") {
            guard try FileTree.exists(raw, dataFolder) else {
                throw BackupError(.notABackup, "there is no folder AppData: this is no .xcappdata package")
            }
            guard let bytes = try Files.read(raw, infoFileName, limitBytes: 1 << 20) else { return nil }
            let values = try PropertyList.dictionary(bytes)
            guard let bundleID = values["CFBundleIdentifier"] as? String else { return nil }
            return Info(
                bundleID: bundleID, name: values["CFBundleName"] as? String,
                version: values["CFBundleShortVersionString"] as? String)
        }
    }

    /// Writes the container of the package in `directory` into `target`, as `BackupReader.restore` does:
    /// Documents, Library and tmp.
    ///
    /// - Parameter limitBytes: more content than that is refused.
    public static func restore(
        from directory: borrowing Descriptor, into target: borrowing Descriptor, limitBytes: Int64,
        owner: Owner? = nil, progress: BackupWriter.Progress = { _ in }
    ) throws(BackupError) -> BackupReport {
        let (raw, targetRaw) = (directory.raw, target.raw)
        return try BackupError.translating("restore the package") {
            try FolderLock.keep(raw)
            let data = SharedDescriptor(try FileTree.openDirectory(raw, dataFolder))
            let tree = DomainTree(domain: "", root: data, rule: .everything)
            var report = BackupReport()
            try copy(tree, to: targetRaw, owner: owner, limitBytes: limitBytes, &report, progress)
            return report
        }
    }

    /// How many bytes the files of a package's container have.
    public static func fileBytes(of directory: borrowing Descriptor) throws(BackupError) -> Int64 {
        let raw = directory.raw
        return try BackupError.translating("read the package") {
            try FileWalk.fileBytes(below: try FileTree.openDirectory(raw, dataFolder))
        }
    }

    private static func copy(
        _ tree: DomainTree, to target: Int32, owner: Owner?, limitBytes: Int64,
        _ report: inout BackupReport, _ progress: BackupWriter.Progress
    ) throws {
        let copy = TreeCopy(tree, try TreeWriter(root: target, owner: owner), limitBytes: limitBytes)
        defer { report = copy.report }
        try copy.run(progress) { path in
            ["Documents", "Library", "tmp"].contains(path.pathParts.first ?? "")
        }
    }

    private static func bytes(of info: Info) throws -> [UInt8] {
        var values: [String: Any] = ["CFBundleIdentifier": info.bundleID]
        values["CFBundleName"] = info.name
        values["CFBundleShortVersionString"] = info.version
        values["XCExecutableVersion"] = info.version
        return try PropertyList.xml(values)
    }
}
