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
        let names: [String]
        do throws(Errno) {
            names = try DirectoryEntries.names(in: directory).map(\.nameText)
        } catch {
            return visitor.cannotRead(level.path, error)
        }
        visitor.meet(names: names, in: level.path)
        for name in names where !(level.depth == 0 && hiddenAtTop.contains(name)) {
            let path = level.path.isEmpty ? name : level.path + "/" + name
            do throws(Errno) {
                let stamp = try ItemStamp(directory, name)
                let item = WalkedItem(
                    path: path, name: name, area: level.area.area(ofChild: name, isTop: level.isTop),
                    stamp: stamp, isTop: level.isTop, isBelowHidden: level.isBelowHidden,
                    isBelowExcluded: level.isBelowExcluded, directory: directory)
                try meet(item, level)
            } catch {
                // What is removed meanwhile is no matter.
                if error != .noSuchFileOrDirectory { visitor.cannotRead(path, error) }
            }
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
            guard level.depth < Self.depthLimit else { return visitor.cannotRead(item.path, .argListTooLong) }
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
    func meet(names: [String], in path: String)
    func meet(_ item: WalkedItem)
    func meet(link item: WalkedItem, target: [UInt8])
    /// Whether a file is to be opened.
    func wants(_ item: WalkedItem) -> Bool
    func meet(_ file: WalkedFile)
    func cannotRead(_ path: String, _ error: Errno)
}
