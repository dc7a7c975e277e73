internal import CLinux
internal import Posix
internal import SystemPackage

/// Meets everything below a directory: each directory's names, each item, each file that can be opened.
///
/// Everything goes by descriptors, and no link is followed: what an app puts in the place of something
/// meanwhile leads nowhere else. Nothing but regular files is opened.
struct HomeWalk {
    /// Called for what is met. A class, since all of them change what the other adds to.
    let visitor: any HomeVisitor
    /// Names that are passed over at the top: the bundle, which a home shows beside its data.
    var hiddenAtTop: Set<String> = []
    /// Put before each path: that of a group's container.
    var prefix = ""

    /// What lies deeper is named and not met: the walk holds a descriptor for each level.
    static let depthLimit = 256

    private struct Level {
        var path: String
        var area: Area
        var isTop = true
        var isBelowHidden = false
        var isBelowExcluded = false
        var depth = 0
    }

    /// - Parameter area: of the directory itself.
    func run(in directory: Int32, _ area: Area) {
        walk(directory, Level(path: prefix, area: area))
    }

    private func walk(_ directory: Int32, _ level: Level) {
        do throws(Errno) {
            // Not what an app adds faster than this walks.
            var left = try meetNames(directory, level) + Self.mostNewNames
            try DirectoryNames.forEach(in: directory) { name throws(Errno) in
                guard left > 0 else {
                    visitor.leaveOut(level.path, "files were made there faster than they were looked at")
                    return false
                }
                left -= 1
                meet(name, in: directory, level)
                return true
            }
        } catch {
            visitor.leaveOut(level.path, "\(error)")
        }
    }

    private static let mostNewNames = 10_000

    /// - Returns: how many there are.
    private func meetNames(_ directory: Int32, _ level: Level) throws(Errno) -> Int {
        let names = try DirectoryNames(of: directory)
        try visitor.meet(names: names, in: level.path)
        return names.count
    }

    private func meet(_ name: FileName, in directory: Int32, _ level: Level) {
        guard let text = String(validating: name.bytes, as: UTF8.self) else {
            let reason = "its name is not UTF-8: a device refuses it, and what it holds was not looked at"
            return visitor.leaveOut(level.path.child(name.text), reason)
        }
        if level.depth == 0 && hiddenAtTop.contains(text) { return }
        let path = level.path.child(text)
        do throws(Errno) {
            let stamp = try ItemStamp(directory, text)
            let item = WalkedItem(
                path: path, name: text, area: level.area.area(ofChild: text, isTop: level.isTop),
                stamp: stamp, isTop: level.isTop, isBelowHidden: level.isBelowHidden,
                isBelowExcluded: level.isBelowExcluded, directory: directory)
            try meet(item, level)
        } catch {
            // What is removed meanwhile is no matter.
            if error != .noSuchFileOrDirectory { visitor.leaveOut(path, "\(error)") }
        }
    }

    private func meet(_ item: WalkedItem, _ level: Level) throws(Errno) {
        visitor.meet(item)
        if item.stamp.isSymlink {
            visitor.meet(link: item, target: try linkTarget(item.name, in: item.directory))
        } else if item.stamp.isRegular {
            guard visitor.wants(item), let file = try WalkedFile(item) else { return }
            visitor.meet(file)
        } else if item.stamp.isDirectory {
            guard level.depth < Self.depthLimit else {
                return visitor.leaveOut(item.path, "it lies too deep")
            }
            let opened = try FileTree.openDirectory(item.directory, item.name)
            var below = level
            below.path = item.path
            below.isTop = level.area.begins(atChild: item.name, isTop: level.isTop)
            below.area = item.area
            below.isBelowHidden = level.isBelowHidden || item.isHidden
            // Only there does anybody ask.
            below.isBelowExcluded =
                level.isBelowExcluded
                || item.area.isDocuments && SkipFlag.isSet(item.directory, item.name)
            below.depth += 1
            walk(opened.raw, below)
        }
    }
}

/// What a walk calls.
protocol HomeVisitor: AnyObject {
    /// All names of a directory, before what they are of.
    func meet(names: DirectoryNames, in path: String) throws(Errno)
    func meet(_ item: WalkedItem)
    func meet(link item: WalkedItem, target: [UInt8])
    /// Whether a file is to be opened.
    func wants(_ item: WalkedItem) -> Bool
    func meet(_ file: WalkedFile)
    /// - Parameter reason: a part of a sentence.
    func leaveOut(_ path: String, _ reason: String)
}
