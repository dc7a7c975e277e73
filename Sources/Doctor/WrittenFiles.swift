internal import Posix
internal import SystemPackage

/// Looks for stored paths of containers in one file or link after another, as they are written.
public final class WrittenFiles {
    private let paths: ContainerPathCheck

    /// - Parameter databases: searches those that no program has open; of others some is missed.
    public init(_ containers: ContainerBook, databases: any DatabaseExaminer) {
        paths = ContainerPathCheck(containers, databases)
    }

    /// What is found in an item; nothing in one that is gone or is neither file nor link.
    /// - Parameters:
    ///   - directory: the open directory that holds it.
    ///   - path: as a finding has it.
    public func look(at name: String, in directory: Int32, path: String) -> [Finding] {
        var found = FindingList()
        guard let stamp = try? ItemStamp(directory, name) else { return [] }
        let area: Area = path.pathParts.first == "tmp" ? .temporary : .home
        let item = WalkedItem(
            path: path, name: name, area: area, stamp: stamp, isTop: false, isBelowHidden: false,
            isBelowExcluded: false, directory: directory)
        if stamp.isSymlink, let target = try? linkTarget(name, in: directory) {
            paths.look(atLink: item, target: target, &found)
        } else if stamp.isRegular, let file = try? WalkedFile(item) {
            paths.look(at: file, &found)
        }
        return found.findings.filter { $0.code == .containerPath }
    }
}
