internal import Device
internal import HomeFiles
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Copies into and out of an app's home, mounted or not, by the rules that hold for the app itself.
struct HomeCopies: Sendable {
    let device: Device
    let views: Views

    func copyIn(_ source: CopySource, _ arguments: CopyInArguments, _ meter: WorkMeter) throws {
        let app = try device.app(named: arguments.app)
        let stamp = try ItemStamp(of: source.item.raw)
        guard stamp.isRegular || stamp.isDirectory else {
            throw CommandFailure("cannot copy \(source.word): it is neither a file nor a folder")
        }
        meter.totalBytes = try source.bytes(stamp)
        let copy = CopyIntoHome(
            source: source, isDirectory: stamp.isDirectory, replacesFolders: arguments.replacesFolders,
            owner: device.owner, meter: meter)
        let what = "copy \(source.word) to \(app.name):\(arguments.path)"
        guard !HomePlace.isBundle(arguments.path, of: app) else {
            throw CommandFailure("cannot \(what): the bundle is signed, and nobody changes it")
        }
        let path = try doing(what) {
            try views.withTree(of: app) { (tree) throws(Errno) in
                let place = try HomePlace(arguments, source.name, in: tree)
                try tree.withDirectory(at: place.directory) { (directory) throws(Errno) in
                    try place.name.withFileName { (name) throws(Errno) in
                        try copy.put(as: name, in: directory, of: tree)
                    }
                }
                return (place.directory + [place.name]).joined(separator: "/")
            }
        }
        views.events.record(app: app.bundleID.value, event: "copied", path: path, detail: nil)
    }

    func copyOut(
        _ path: String, of name: String, takesFolders: Bool, to target: CopyTarget, _ meter: WorkMeter
    ) throws {
        let app = try device.app(named: name)
        let copy = CopyOutOfHome(target: target, takesFolders: takesFolders, meter: meter)
        let what = "copy \(app.name):\(path)"
        guard !HomePlace.isBundle(path, of: app) else {
            throw CommandFailure(
                "cannot \(what): cp has the app's data only; where its bundle is seen: apphome path "
                    + "\(shellQuoted(app.name)) bundle")
        }
        try doing(what) {
            let names = try HomePlace.names(path)
            guard let item = names.last, target.name.isItemName else { throw Errno.noSuchFileOrDirectory }
            try views.withTree(of: app) { (tree) throws(Errno) in
                try tree.withDirectory(at: names.dropLast()) { (directory) throws(Errno) in
                    try item.withFileName { (item) throws(Errno) in
                        try copy.get(item, in: directory, of: tree)
                    }
                }
            }
        }
    }

    private func doing<R>(_ what: String, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let errno as Errno {
            switch errno {
            case .canceled: throw CommandFailure("interrupted: nothing has changed (to \(what))")
            case .noSuchFileOrDirectory, .notDirectory:
                throw CommandFailure("cannot \(what): there is no such item or folder in the home")
            case .notPermitted:
                throw CommandFailure(
                    "cannot \(what): the app itself cannot make that; use Documents, Library or tmp")
            case .fileExists:
                throw CommandFailure("cannot \(what): a folder is there, which is replaced with --force only")
            case .isDirectory:
                throw CommandFailure(
                    "cannot \(what): a folder, which is copied with -r, and no file replaces")
            default: throw CommandFailure(cannot: what, errno)
            }
        }
    }
}

/// Where in a home a copy goes.
private struct HomePlace {
    let directory: [String]
    let name: String

    /// Whether a path leads into the bundle, which a mounted home shows, and which lies apart from the data.
    static func isBundle(_ path: String, of app: InstalledApp) -> Bool {
        path.pathParts.first == app.bundleName
    }

    /// - Parameter own: the name of what is copied, which counts where the path leads to a folder; empty for
    ///   standard input.
    init(_ arguments: CopyInArguments, _ own: String, in tree: HomeTree) throws(Errno) {
        let names = try Self.names(arguments.path)
        var isFolder = arguments.isFolder || names.isEmpty
        if !isFolder {
            let found: Void? = try? tree.withDirectory(at: names) { (inode) throws(Errno) in
                try tree.requireDirectory(inode)
            }
            isFolder = found != nil
        }
        // What has no name of its own gets one by the path alone.
        if isFolder, own.isEmpty { throw .isDirectory }
        directory = isFolder ? names : names.dropLast()
        name = isFolder ? own : names.last ?? own
    }

    /// - Throws: ENOENT for a path that leads out.
    static func names(_ path: String) throws(Errno) -> [String] {
        let names = path.pathParts
        guard !names.contains("."), !names.contains(".."), !path.utf8.contains(0) else {
            throw .noSuchFileOrDirectory
        }
        return names
    }
}

private struct CopyIntoHome {
    let source: CopySource
    let isDirectory: Bool
    let replacesFolders: Bool
    let owner: Owner
    let meter: WorkMeter

    func put(as name: FileName, in directory: InodeNumber, of tree: HomeTree) throws(Errno) {
        let place = tree.place(of: directory)
        let item = place.place(ofChild: name.bytes, isDirectory: isDirectory, under: tree.policy)
        if AccessRule.refusal(of: .renameTo, in: place, item: item) != nil { throw .notPermitted }
        guard isDirectory else {
            return try tree.place(
                source.item.raw, as: name, in: directory, mode: 0o644, owner: owner, progress: meter.add)
        }
        _ = try tree.placeDirectory(
            source.item.raw, as: name, in: directory, replaces: replacesFolders, reader: source.reader,
            owner: owner, progress: meter.add)
    }
}

private struct CopyOutOfHome {
    let target: CopyTarget
    let takesFolders: Bool
    let meter: WorkMeter

    func get(_ item: FileName, in directory: InodeNumber, of tree: HomeTree) throws(Errno) {
        let place = tree.place(of: directory)
        if place == .systemData || place.hidesFromApp(child: item.bytes, under: tree.policy) {
            throw .noSuchFileOrDirectory
        }
        let found = try tree.lookup(item, in: directory)
        defer { tree.forget(found.inode) }
        let isDirectory = found.status.isDirectory
        if isDirectory, !takesFolders { throw .isDirectory }
        meter.totalBytes = try tree.contentBytes(of: item, in: directory)
        // As cp(1): a file takes the place of a file.
        let replacing: AtomicItem.Replacing =
            target.replaces ? .anything : isDirectory ? .nothing : .files
        try target.rights.call { () throws(Errno) in
            try target.name.withFileName { (name) throws(Errno) in
                try tree.copyOut(
                    item, in: directory, to: target.directory.raw, as: name, replacing, owner: nil,
                    progress: meter.add)
            }
        }
    }
}
