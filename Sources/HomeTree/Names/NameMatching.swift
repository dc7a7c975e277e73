internal import Posix
internal import SandboxRules

/// What a name may find in a directory.
public enum NameMatching: Sendable {
    /// What it means in the tree's views: its own bytes first, then other spellings under the policy.
    case asShown
    /// What it means to sync, whose names are compared as on a device wherever they are. Of several items
    /// whose names are one there, which another policy lets be, it is the first in the order of bytes: that
    /// one syncs, and the others stay on this device.
    case asSynced
}

extension HomeTree {
    /// How names are compared for that.
    func policy(for matching: NameMatching) -> NamePolicy { matching == .asSynced ? .device : policy }

    /// Whether the directory may hold under other bytes what `name` means.
    func hasOtherSpellings(_ name: FileName, _ matching: NameMatching) -> Bool {
        policy(for: matching).hasOtherSpellings(name.bytes)
    }

    /// Tells every mount that the item stored as `stored` is another's now, or gone, where the kernels would
    /// not hear of it by the name that was asked for.
    func tellStored(_ stored: FileName, askedAs name: FileName, in directory: InodeNumber) {
        if stored.cString != name.cString { caches.tellName(stored.bytes, in: directory) }
    }
}

/// The spellings that a directory's names have under each policy that was asked for.
struct SpellingIndexes {
    private var device: SpellingIndex?
    private var simulator: SpellingIndex?

    /// Under `legacy` no name has another spelling.
    subscript(policy: NamePolicy) -> SpellingIndex? {
        get {
            switch policy {
            case .device: device
            case .simulator: simulator
            case .legacy: nil
            }
        }
        set {
            switch policy {
            case .device: device = newValue
            case .simulator: simulator = newValue
            case .legacy: break
            }
        }
    }

    mutating func add(_ name: FileName) {
        device?.add(name, policy: .device)
        simulator?.add(name, policy: .simulator)
    }

    mutating func remove(_ name: FileName) {
        device?.remove(name, policy: .device)
        simulator?.remove(name, policy: .simulator)
    }
}
