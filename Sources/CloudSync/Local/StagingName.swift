internal import HomeTree
internal import Posix
internal import SyncContent

/// Names of sync's files in the staging directory.
enum StagingName {
    /// Of files: written aside, or displaced.
    static func of(_ name: String) -> String { HomeTree.keptStagingPrefix + name }
    /// Of what is parked, and of the symlink that leads it back.
    static func parked(_ name: String) -> String { HomeTree.parkedStagingPrefix + name }
    static func way(_ name: String) -> String { wayPrefix + name }
    static let wayPrefix = of("way-")
    /// A way back that is being written.
    static let newWay = of("new-way")

    /// What a new file in staging is called; not yet its name there.
    static func new(_ randomness: any SyncRandomness) -> String {
        Hex.text(randomness.identifier())
    }

    /// What the engine calls a file in staging becomes part of a name.
    static func isPart(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The engine's name for what has this one; nil where it is none of that prefix.
    static func parsed(_ bytes: [CChar], after prefix: String = HomeTree.keptStagingPrefix) -> String? {
        guard let text = bytes.validName, text.hasPrefix(prefix) else { return nil }
        let name = String(text.dropFirst(prefix.count))
        return isPart(name) ? name : nil
    }
}
