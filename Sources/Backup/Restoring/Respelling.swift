internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Finds what another container's items are called in this one, where both spell a name differently: two
/// names there would be one file to the app, of which it finds only one.
final class Respelling {
    private let target: Int32
    private let policy: NamePolicy
    // Of the parent that was asked for last: a walk stays in one directory for a while.
    private var parent = (theirs: "", ours: "")
    private var names: (directory: String, byKey: [NameKey: String])?

    /// - Parameter target: the container; outlives this.
    init(in target: Int32, _ policy: NamePolicy) {
        self.target = target
        self.policy = policy
    }

    /// The path by which the item at `path` of the other container is known here, or would be.
    func path(of path: String) throws(Errno) -> String {
        guard policy != .legacy, !path.isEmpty else { return path }
        let place = path.directoryAndName
        let (above, name) = (place.directory ?? "", place.name)
        if above != parent.theirs { parent = (above, try self.path(of: above)) }
        let directory = parent.ours
        let same = directory.isEmpty ? name : "\(directory)/\(name)"
        var bytes = name
        guard bytes.withUTF8({ policy.hasOtherSpellings(UnsafeRawBufferPointer($0)) }) else { return same }
        if names?.directory != directory { names = (directory, try spelled(in: directory)) }
        guard let ours = names?.byKey[policy.key(name)] else { return same }
        return directory.isEmpty ? ours : "\(directory)/\(ours)"
    }

    /// The names there that could be spelled otherwise; none where there is no such directory.
    private func spelled(in directory: String) throws(Errno) -> [NameKey: String] {
        var found: [NameKey: String] = [:]
        let opened: Descriptor
        do throws(Errno) {
            let stored = LongName.storedPath(for: directory)
            opened = try FileTree.openDirectory(target, stored.isEmpty ? "." : stored)
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return found }
            throw error
        }
        for name in try DirectoryEntries.names(in: opened.raw) {
            guard name.nameBytes.withUnsafeBytes({ policy.hasOtherSpellings($0) }), let name = name.validName
            else { continue }
            found[policy.key(name)] = name
        }
        return found
    }
}
