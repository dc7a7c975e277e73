import FuseKit

/// Whether programs hold a mount, as `unmount` will see it.
enum MountHolderProbe {
    static func isEmpty(_ mountPoint: String) -> Bool {
        guard let entry = (try? MountTable.current())?.entry(at: mountPoint) else { return true }
        return MountHolder.all(of: entry).isEmpty
    }
}
