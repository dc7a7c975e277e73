internal import Posix

/// What the table finds its inodes by: their identities, and their names in their directories.
extension InodeTable {
    // MARK: Identities

    /// The inode that has this identity, as far as somebody knows it.
    func inode(_ identity: Identity) -> InodeNumber? {
        byIdentity.first(hash(identity)) { slab[$0].pointee.identity == identity }
    }

    /// From now on the inode, and no other, is found by the identity that its record has.
    mutating func rememberIdentity(of number: InodeNumber) {
        let identity = slab[number].pointee.identity
        let hash = hash(identity)
        if let other = inode(identity) { byIdentity.remove(other, hash: hash) }
        byIdentity.insert(number, hash: hash)
    }

    mutating func forgetIdentity(of number: InodeNumber) {
        byIdentity.remove(number, hash: hash(slab[number].pointee.identity))
    }

    // MARK: Names

    /// Who is known to have this name in a directory.
    func child(_ name: FileName, in directory: InodeNumber) -> InodeNumber? {
        byName.first(hash(name, in: directory)) { isAt($0, name: name, in: directory) }
    }

    /// The inode is found by the name that its record has got.
    mutating func rememberName(of number: InodeNumber) {
        guard let name = slab[number].name else { return }
        byName.insert(number, hash: hash(FileName(name), in: slab[number].pointee.parent))
    }

    mutating func forgetName(of number: InodeNumber) {
        guard let name = slab[number].name else { return }
        byName.remove(number, hash: hash(FileName(name), in: slab[number].pointee.parent))
    }

    /// Whether `name` in `directory` is where the inode is.
    func isAt(_ number: InodeNumber, name: FileName, in directory: InodeNumber) -> Bool {
        let inode = slab[number]
        guard let own = inode.name, inode.pointee.parent == directory else { return false }
        return isEqual(own, name)
    }

    func isEqual(_ own: UnsafePointer<CChar>, _ name: FileName) -> Bool {
        for index in 0..<name.count where own[index] != name.cString[index] { return false }
        return own[name.count] == 0
    }

    // MARK: Hashes

    /// The golden ratio spreads numbers that follow each other.
    private func hash(_ identity: Identity) -> UInt32 {
        UInt32(truncatingIfNeeded: ((identity.number ^ identity.device << 48) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// Another one in each process: no names can be made for it.
    private func hash(_ name: FileName, in directory: InodeNumber) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(directory.rawValue)
        hasher.combine(bytes: name.bytes)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
