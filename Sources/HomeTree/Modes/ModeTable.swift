internal import Posix

/// The mode of each inode that is open in one view.
///
/// INVARIANT: a mode is chosen where the inode has no open handle and no RELEASE is outstanding, and it holds
/// to the last RELEASE: the kernel answers EIO to an open in another mode.
struct ModeTable {
    private struct Entry {
        let mode: IOMode
        var openCount: UInt32
    }

    private var entries: [InodeNumber: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Counts one open.
    /// - Parameter choose: asked where this is the first.
    /// - Returns: the mode that holds.
    mutating func enter(_ inode: InodeNumber, choosing choose: () -> IOMode) -> IOMode {
        if let index = entries.index(forKey: inode) {
            entries.values[index].openCount += 1
            return entries.values[index].mode
        }
        let mode = choose()
        entries[inode] = Entry(mode: mode, openCount: 1)
        return mode
    }

    /// Takes one open back.
    /// - Returns: the mode that ends with it; nil where others have the inode open.
    mutating func leave(_ inode: InodeNumber) -> IOMode? {
        guard let index = entries.index(forKey: inode) else { return nil }
        entries.values[index].openCount -= 1
        guard entries.values[index].openCount == 0 else { return nil }
        defer { entries.remove(at: index) }
        return entries.values[index].mode
    }
}
