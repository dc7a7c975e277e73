internal import CLinux
internal import HomeTree
internal import Posix
package import SyncContent
internal import SyncLog
internal import SystemPackage

/// Where names form a circle one item waits in staging, which no view shows. Beside it lies a symlink whose
/// target is the path that it came from: whoever opens the home next brings it back there, whether or not
/// that one syncs.
extension HomeDisk {
    package func bringBackParked() throws(LocalError) -> [BroughtBack] {
        guard rules.hold(.parkedComesBack) else { return [] }
        let names = try LocalError.from { () throws(Errno) in try tree.names(in: tree.staging) }
        for name in names {
            // What cannot come back now stays where nothing is lost, and is tried again.
            if let parked = StagingName.parsed(name, after: HomeTree.parkedStagingPrefix) {
                try? bringBack(parked)
            }
        }
        var broughtBack: [BroughtBack] = []
        for parked in names.compactMap({ StagingName.parsed($0, after: StagingName.wayPrefix) }) {
            guard try !isParked(parked), let path = try wayBack(of: parked) else { continue }
            broughtBack.append(BroughtBack(name: parked, path: path))
        }
        return broughtBack
    }

    package func forgetBroughtBack(_ item: BroughtBack) throws(LocalError) { try removeWay(of: item.name) }

    /// To the place that it came from, or beside what lies there now. Where that directory is gone, or was
    /// taken out of the cloud meanwhile, to the top.
    private func bringBack(_ name: String) throws(LocalError) {
        let old = try wayBack(of: name) ?? LocalPath([name])
        var directories = [LocalPath()]
        if !old.parent.names.isEmpty, let above = try glance(at: old.parent), above.item.kind == .directory,
            !above.isExcluded
        {
            directories.insert(old.parent, at: 0)
        }
        let own = old.name ?? name
        for directory in directories {
            for free in [own] + String.numbersBeside.map(own.besideExcluded) {
                let path = directory.appending(free)
                guard try withItem(path, { (_, _) throws(LocalError) in true }) == nil else { continue }
                if path != old { try writeWay(to: path, of: name) }
                return try unpark(name, to: path)
            }
        }
    }

    private func unpark(_ name: String, to path: LocalPath) throws(LocalError) {
        try withChangeableParent(of: path) { (directory, newName) throws(LocalError) in
            let stamp = try withNames(StagingName.parked(name), newName) {
                (name, newName) throws(Errno) in
                try tree.rename(
                    name, in: tree.staging, to: newName, in: directory, flags: lx_rename_noreplace, .asSynced
                ) { $1 == nil }
            }
            guard stamp != nil else { throw .changed }
            try syncDirectory(directory)
        }
    }

    // MARK: The way back

    /// Durable before the item goes.
    func writeWay(to path: LocalPath, of name: String) throws(LocalError) {
        let new = StagingName.newWay
        try discard(new)
        let made = try withName(new) { (new) throws(Errno) in
            let status = try tree.attributes(of: documents)
            let owner = Owner(uid: status.st_uid, gid: status.st_gid)
            // Longer than a symlink's target may be: then to the top.
            let whole = path.names.joined(separator: "/")
            let target = Array((whole.utf8.count < 4096 ? whole : path.name ?? whole).utf8)
            return try Self.terminated(target) { (target) throws(Errno) in
                try tree.makeSymlink(to: target, new, in: tree.staging, owner: owner)
            }
        }
        tree.forget(made.inode)
        _ = try withNames(new, StagingName.way(name)) { (new, name) throws(Errno) in
            try tree.rename(new, in: tree.staging, to: name, in: tree.staging, flags: 0)
        }
        try syncDirectory(tree.staging)
    }

    func removeWay(of name: String) throws(LocalError) {
        try discard(StagingName.way(name))
    }

    private func discard(_ name: String) throws(LocalError) {
        do throws(LocalError) {
            _ = try withName(name) { (name) throws(Errno) in
                try tree.remove(name, in: tree.staging) { _ in true }
            }
        } catch {
            if error != .gone { throw error }
        }
    }

    private func wayBack(of name: String) throws(LocalError) -> LocalPath? {
        let found = try withName(StagingName.way(name)) { (name) throws(Errno) in
            try tree.peek(name, in: tree.staging)
        }
        guard let found else { return nil }
        defer { tree.forget(found.inode) }
        guard found.status.isSymlink else { return nil }
        guard let text = String(validating: try target(of: found.inode), as: UTF8.self) else {
            return nil
        }
        return LocalPath(text.pathParts)
    }

    private func isParked(_ name: String) throws(LocalError) -> Bool {
        try stamp(StagingName.parked(name), in: tree.staging) != nil
    }
}
