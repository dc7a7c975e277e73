internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// The names of one directory that other bytes could mean, under the key that all their spellings share.
///
/// Names with only one spelling are not in it: the backing file system finds those. It stays true because
/// every change of the directory comes through the tree.
struct SpellingIndex {
    private var names: [NameKey: [UInt8]] = [:]

    /// - Parameter directory: an O_PATH descriptor of the directory.
    init(of directory: Int32, policy: NamePolicy) throws(Errno) {
        let opened = try Descriptor(at: directory, ".", flags: lx_o_directory)
        var entries = DirectoryEntries()
        while let entry = try entries.next(of: opened.raw) { add(entry.name, policy: policy) }
    }

    /// The stored bytes of the name that is meant.
    func stored(for name: FileName, policy: NamePolicy) -> [UInt8]? { names[policy.key(name.bytes)] }

    mutating func add(_ name: FileName, policy: NamePolicy) {
        if name.isDotOrDotDot || !policy.hasOtherSpellings(name.bytes) { return }
        names[policy.key(name.bytes)] = Array(name.bytes)
    }

    mutating func remove(_ name: FileName, policy: NamePolicy) {
        if !policy.hasOtherSpellings(name.bytes) { return }
        let key = policy.key(name.bytes)
        if let stored = names[key], stored.elementsEqual(name.bytes) { names[key] = nil }
    }
}
