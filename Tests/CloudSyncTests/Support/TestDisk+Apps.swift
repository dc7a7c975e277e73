internal import CloudSync

extension LocalPath: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self.init(text.split(separator: "/").map(String.init))
    }

    var text: String { names.joined(separator: "/") }
}

/// What an app does.
extension TestDisk {
    func write(_ text: String, to path: LocalPath) {
        guard let name = path.name, let directory = directory(of: path) else { return }
        let inode = directory.entries[name] ?? makeInode(.file, mode: 0o644)
        guard inode.isFile else { return }
        inode.bytes = Array(text.utf8)
        (inode.modified, inode.changed) = (tick(), tick())
        directory.entries[name] = inode
        changes.paths.insert(path)
    }

    /// Temporary file and rename.
    func save(_ text: String, to path: LocalPath) {
        guard let name = path.name, let directory = directory(of: path) else { return }
        let inode = makeInode(.file, mode: 0o644)
        inode.bytes = Array(text.utf8)
        if let old = directory.entries[name] { freed.append(old.number) }
        directory.entries[name] = inode
        changes.paths.insert(path)
    }

    func makeDirectory(_ path: LocalPath) {
        guard let name = path.name, let directory = directory(of: path), directory.entries[name] == nil else {
            return
        }
        directory.entries[name] = makeInode(.directory, mode: 0o755)
        changes.paths.insert(path)
    }

    func link(_ target: String, at path: LocalPath) {
        guard let name = path.name, let directory = directory(of: path) else { return }
        directory.entries[name] = makeInode(.symlink(target: Array(target.utf8)), mode: 0o777)
        changes.paths.insert(path)
    }

    func hardLink(_ path: LocalPath, to other: LocalPath) {
        guard let name = other.name, let directory = directory(of: other) else { return }
        directory.entries[name] = find(path)
        find(path)?.changed = tick()
        changes.paths.formUnion([path, other])
    }

    /// rename(2), also over what is there.
    func rename(_ path: LocalPath, to other: LocalPath) {
        guard let inode = find(path), let old = path.name, let new = other.name, let to = directory(of: other)
        else { return }
        find(path.parent)?.entries[old] = nil
        to.entries[new] = inode
        inode.changed = tick()
        changes.paths.formUnion([path, other])
        changes.renames.append(LocalMove(from: path, to: other))
    }

    /// To another place of the home.
    func moveOut(_ path: LocalPath, as name: String) {
        guard let inode = find(path), let old = path.name else { return }
        find(path.parent)?.entries[old] = nil
        outside.entries[name] = inode
        inode.changed = tick()
        changes.paths.insert(path)
        changes.hasDepartures = true
    }

    func moveIn(_ name: String, to path: LocalPath) {
        guard let inode = outside.entries.removeValue(forKey: name), let new = path.name else { return }
        directory(of: path)?.entries[new] = inode
        inode.changed = tick()
        changes.paths.insert(path)
        changes.arrivals.insert(path)
    }

    /// RENAME_EXCHANGE.
    func exchange(_ path: LocalPath, _ other: LocalPath) {
        guard let first = find(path), let second = find(other), let one = path.name, let two = other.name
        else { return }
        find(path.parent)?.entries[one] = second
        find(other.parent)?.entries[two] = first
        (first.changed, second.changed) = (tick(), tick())
        changes.paths.formUnion([path, other])
        changes.arrivals.formUnion([path, other])
    }

    func delete(_ path: LocalPath) {
        guard let name = path.name, let inode = find(path) else { return }
        for child in inode.entries.keys { delete(path.appending(child)) }
        find(path.parent)?.entries[name] = nil
        freed.append(inode.number)
        changes.removed.insert(inode.number)
        changes.paths.insert(path)
    }

    func setFlag(_ isFlagged: Bool, _ path: LocalPath) {
        find(path)?.isFlagged = isFlagged
        find(path)?.changed = tick()
        changes.paths.insert(path)
    }

    func setMode(_ mode: UInt16, _ path: LocalPath) {
        find(path)?.mode = mode
        find(path)?.changed = tick()
        changes.paths.insert(path)
    }

    func setTime(_ time: Int64, _ path: LocalPath) {
        find(path)?.modified = time
        find(path)?.changed = tick()
        changes.paths.insert(path)
    }

    /// Everything below Documents: text of files, `->target` of symlinks, `/` for directories.
    var contents: [String: String] {
        var found: [String: String] = [:]
        var waiting: [(LocalPath, Inode)] = [(LocalPath(), root)]
        while let (path, directory) = waiting.popLast() {
            for (name, inode) in directory.entries {
                let child = path.appending(name)
                switch inode.kind {
                case .file: found[child.text] = String(decoding: inode.bytes, as: UTF8.self)
                case .directory:
                    found[child.text] = "/"
                    waiting.append((child, inode))
                case .symlink(let target): found[child.text] = "->" + String(decoding: target, as: UTF8.self)
                }
            }
        }
        return found
    }
}
