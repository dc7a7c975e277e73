internal import CLinux
internal import Posix

/// A directory that stays who it is and becomes another one underneath.
final class MovedDirectory {
    let number: InodeNumber
    let status: stat
    private var descriptor: Int32

    init(_ number: InodeNumber, _ status: stat, _ directory: consuming Descriptor) {
        self.number = number
        self.status = status
        descriptor = directory.release()
    }

    deinit { if descriptor >= 0 { _ = lx_close(descriptor) } }

    var raw: Int32 { descriptor }

    fileprivate func release() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }
}

/// Another container in the place of one.
extension InodeTable {
    /// The directories become others underneath; all else below `roots` is left behind.
    /// - Returns: the names that were known in those directories.
    mutating func replace(
        _ moves: [MovedDirectory], below roots: [InodeNumber], into leftovers: inout Leftovers
    ) -> [(name: [CChar], directory: InodeNumber)] {
        let names = leaveBehind(roots, moving: Set(moves.map(\.number)), into: &leftovers)
        for move in moves { take(move, into: &leftovers) }
        return names
    }

    /// Takes from all below `roots` but `moving` what reaches it: a number of the old container must not be
    /// found again when the backing file system gives it to another file.
    private mutating func leaveBehind(
        _ roots: [InodeNumber], moving: Set<InodeNumber>, into leftovers: inout Leftovers
    ) -> [(name: [CChar], directory: InodeNumber)] {
        var names: [(name: [CChar], directory: InodeNumber)] = []
        // Asked before the first is detached: below that nothing would be of the home any more.
        for number in live.filter({ isBelow($0, roots) }) where !moving.contains(number) {
            let inode = slab[number]
            forgetIdentity(of: number)
            spellings[number] = nil
            nameSets.drop(number)
            if inode.pointee.descriptor >= 0, inode.pointee.pins == 0 {
                cache.remove(number, from: slab)
                leftovers.descriptors.append(inode.pointee.descriptor)
                inode.pointee.descriptor = -1
            }
            guard moving.contains(inode.pointee.parent), let name = inode.name else { continue }
            names.append((FileName(name).terminated, inode.pointee.parent))
            detach(number, isGone: true)
        }
        return names
    }

    /// Whether it is reached from one of them, or by no name at all.
    private func isBelow(_ number: InodeNumber, _ roots: [InodeNumber]) -> Bool {
        var current = number
        while !roots.contains(current) {
            let inode = slab[current]
            if inode.pointee.flags.contains(.root) { return false }
            guard inode.name != nil else { return true }
            current = inode.pointee.parent
        }
        return number != current
    }

    private mutating func take(_ move: MovedDirectory, into leftovers: inout Leftovers) {
        let inode = slab[move.number]
        forgetIdentity(of: move.number)
        inode.pointee.identity = Identity(move.status)
        rememberIdentity(of: move.number)
        spellings[move.number] = nil
        nameSets.drop(move.number)
        noteAttribute(of: move.number)
        let old = inode.pointee.descriptor
        inode.pointee.descriptor = move.release()
        guard old >= 0 else { return cache.add(move.number, to: slab) }
        // A call may be using it.
        if inode.pointee.pins == 0 {
            leftovers.descriptors.append(old)
        } else {
            retired[move.number, default: []].append(old)
        }
    }
}
