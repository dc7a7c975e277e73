internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// The names of one directory that other bytes could mean, under the key that all their spellings share.
///
/// Names with only one spelling are not in it: the backing file system finds those. It stays true because
/// every change of the directory comes through the tree.
///
/// Where a directory was filled under another policy, several of its items may have one key. Each is found by
/// its own bytes, which are asked for before this index is; every other spelling means the first in the order
/// of their bytes, and the next one once that is gone.
struct SpellingIndex {
    private var names: [NameKey: [UInt8]] = [:]
    /// What has the key of another item, and comes behind that.
    private var others: [NameKey: [[UInt8]]] = [:]

    /// - Parameter directory: an O_PATH descriptor of the directory.
    init(of directory: Int32, policy: NamePolicy) throws(Errno) {
        let opened = try Descriptor(unnoticedDirectory: ".", at: directory)
        var entries = DirectoryEntries()
        while let entry = try entries.next(of: opened.raw) { add(entry.name, policy: policy) }
    }

    /// The stored bytes of the name that is meant.
    func stored(for name: FileName, policy: NamePolicy) -> [UInt8]? { names[policy.key(name.bytes)] }

    mutating func add(_ name: FileName, policy: NamePolicy) {
        if name.isDotOrDotDot || !policy.hasOtherSpellings(name.bytes) { return }
        let (key, bytes) = (policy.key(name.bytes), Array(name.bytes))
        guard let first = names[key], first != bytes else {
            names[key] = bytes
            return
        }
        if bytes.lexicographicallyPrecedes(first) {
            names[key] = bytes
            others[key, default: []].append(first)
        } else if others[key]?.contains(bytes) != true {
            others[key, default: []].append(bytes)
        }
    }

    mutating func remove(_ name: FileName, policy: NamePolicy) {
        if !policy.hasOtherSpellings(name.bytes) { return }
        let key = policy.key(name.bytes)
        var behind = others[key] ?? []
        if let first = names[key], first.elementsEqual(name.bytes) {
            names[key] = behind.min { $0.lexicographicallyPrecedes($1) }
            behind.removeAll { $0 == names[key] }
        } else {
            behind.removeAll { $0.elementsEqual(name.bytes) }
        }
        others[key] = behind.isEmpty ? nil : behind
    }
}
