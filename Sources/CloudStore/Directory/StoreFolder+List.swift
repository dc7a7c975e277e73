internal import CLinux
internal import Posix
internal import SystemPackage

extension StoreFolder {
    func list(_ prefix: String, after: ObjectKey?, limit: Int) throws(StoreError) -> ObjectListing {
        let top = try open()
        let directory = prefix.directoryAndName.directory.map { $0 + "/" } ?? ""
        // A prefix that no key can have is the beginning of none.
        let isPossible = directory.isEmpty || ObjectKey(String(directory.dropLast())) != nil
        guard isPossible, !directory.isPath(in: Self.aside) else {
            return ObjectListing(objects: [], isTruncated: false)
        }
        var walk = Walk(prefix: prefix, after: after, wanted: limit + 1)
        try checkIsStore(top)
        try visit(directory, in: top, &walk)
        return ObjectListing(
            objects: Array(walk.found.prefix(limit)), isTruncated: walk.found.count > limit)
    }

    /// Adds what lies below `directory` (empty, or with a `/` at its end), until enough is found.
    ///
    /// At most `Walk.batch` names of a directory are in memory at a time, and a key's length bounds the
    /// depth.
    private func visit(
        _ directory: String, in top: borrowing Descriptor, _ walk: inout Walk
    ) throws(StoreError) {
        var passed: String?
        while !walk.isDone {
            guard let opened = try openDirectory(String(directory.dropLast()), in: top) else { return }
            let (paths, isTruncated) = try next(in: opened, directory, past: passed, walk)
            passed = paths.last
            for path in paths where !walk.isDone {
                if path.hasSuffix("/") {
                    try visit(path, in: top, &walk)
                } else {
                    walk.add(path, in: opened)
                }
            }
            if !isTruncated { return }
        }
    }

    /// The first entries of a directory that may hold what is wanted, in order, as paths, those of
    /// directories with a `/` at their end: so they sort as the keys below them do.
    private func next(
        in opened: borrowing Descriptor, _ directory: String, past: String?, _ walk: Walk
    ) throws(StoreError) -> (paths: [String], isTruncated: Bool) {
        var paths: [String] = []
        var isTruncated = false
        func cut() {
            paths.sort()
            if paths.count > Walk.batch {
                paths.removeLast(paths.count - Walk.batch)
                isTruncated = true
            }
        }
        do throws(Errno) {
            var scan = try DirectoryScan(opened)
            while let entry = try scan.next() {
                guard let path = entry.path(in: opened, directory), walk.mayHold(path),
                    past.map({ $0 < path }) ?? true
                else { continue }
                paths.append(path)
                if paths.count >= 4 * Walk.batch { cut() }
            }
        } catch {
            throw StoreError(error, "\(path)/\(directory)")
        }
        cut()
        return (paths, isTruncated)
    }
}

/// What a listing looks for, and what it has found.
private struct Walk {
    static let batch = 1024
    let prefix: String
    let after: ObjectKey?
    let wanted: Int
    var found: [ObjectInfo] = []

    var isDone: Bool { found.count >= wanted }

    /// Whether `path` is wanted, or as a directory (with a `/` at its end) may hold what is. All of it is
    /// ASCII, so strings are in the order of their bytes.
    func mayHold(_ path: String) -> Bool {
        guard path.hasSuffix("/") else {
            return path.hasPrefix(prefix) && (after.map { $0.text < path } ?? true)
        }
        guard path != StoreFolder.aside + "/", path.utf8.count < ObjectKey.byteLimit,
            path.hasPrefix(prefix) || prefix.hasPrefix(path)
        else { return false }
        return after.map { $0.text < path || $0.text.hasPrefix(path) } ?? true
    }

    /// An object that is gone meanwhile, or was never a regular file, is not there.
    mutating func add(_ path: String, in directory: borrowing Descriptor) {
        var details = stat()
        guard let key = ObjectKey(path),
            lx_fstatat(directory.raw, key.name, &details, lx_at_symlink_nofollow) == 0, details.isRegular
        else { return }
        found.append(
            ObjectInfo(key: key, sizeBytes: UInt64(details.st_size), lastModified: details.modified))
    }
}

extension DirectoryScan.Entry {
    /// Nil for what is neither a directory nor a regular file.
    fileprivate func path(in opened: borrowing Descriptor, _ directory: String) -> String? {
        switch kind {
        case .directory: return directory + name + "/"
        case .regular: return directory + name
        case .unknown:
            var details = stat()
            guard lx_fstatat(opened.raw, name, &details, lx_at_symlink_nofollow) == 0 else { return nil }
            return details.isDirectory ? directory + name + "/" : details.isRegular ? directory + name : nil
        }
    }
}
