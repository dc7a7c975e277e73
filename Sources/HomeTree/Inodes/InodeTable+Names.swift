internal import CLinux
internal import Posix
internal import SandboxRules

/// The parents and names of inodes.
extension InodeTable {
    /// Gives the inode this name. A root keeps its own.
    mutating func attach(_ number: InodeNumber, name: FileName, in directory: InodeNumber) {
        let inode = slab[number]
        if inode.pointee.flags.contains(.root) { return }
        if isAt(number, name: name, in: directory) { return }
        // Somebody has put this one in its place, past the tree: one name is one inode's.
        if let other = child(name, in: directory) { detach(other, isGone: false) }
        slab[directory].pointee.references += 1
        if inode.name != nil {
            forgetName(of: number)
            dropReference(inode.pointee.parent)
        }
        inode.setName(name)
        inode.pointee.parent = directory
        rememberName(of: number)
        inode.pointee.flags.remove(.detached)
    }

    /// Takes the inode's name away. `isGone`: no other name is left, so that its number may be given anew.
    mutating func detach(_ number: InodeNumber, isGone: Bool) {
        let inode = slab[number]
        if isGone { forgetIdentity(of: number) }
        guard inode.name != nil else { return }
        forgetName(of: number)
        inode.clearName()
        inode.pointee.flags.insert(.detached)
        dropReference(inode.pointee.parent)
    }

    /// What was known at one name is at another now.
    /// - Returns: that; nil where nothing was known there.
    mutating func move(
        from name: FileName, in directory: InodeNumber, to newName: FileName, in newDirectory: InodeNumber
    ) -> InodeNumber? {
        guard let number = child(name, in: directory) else { return nil }
        attach(number, name: newName, in: newDirectory)
        return number
    }

    /// Two names stand for each other's inodes now.
    mutating func exchange(
        _ one: (identity: Identity, name: FileName, directory: InodeNumber),
        _ other: (identity: Identity, name: FileName, directory: InodeNumber)
    ) -> Renamed {
        let first = known(one.identity, at: one.name, in: one.directory)
        let second = known(other.identity, at: other.name, in: other.directory)
        if let first { attach(first, name: other.name, in: other.directory) }
        if let second { attach(second, name: one.name, in: one.directory) }
        return Renamed(moved: inode(one.identity), other: inode(other.identity))
    }

    private func known(
        _ identity: Identity, at name: FileName, in directory: InodeNumber
    ) -> InodeNumber? {
        inode(identity).flatMap { isAt($0, name: name, in: directory) ? $0 : nil }
    }
}

// MARK: A name that goes

extension InodeTable {
    /// Who is known to have a name, and whether more than that reaches it.
    func standing(of name: FileName, in directory: InodeNumber) -> (identity: Identity, isReachable: Bool)? {
        child(name, in: directory).map { (slab[$0].pointee.identity, isReachable($0)) }
    }

    private func isReachable(_ number: InodeNumber) -> Bool {
        slab[number].pointee.descriptor >= 0 || slab[number].pointee.firstHandle != HandleTable.none
    }

    /// A name is about to go: pins what it stands for, where that is known.
    /// - Parameter isLastName: then the inode has no identity from now on.
    /// - Returns: it, and whether nothing but that name reaches it.
    mutating func pinForRemoval(
        _ identity: Identity, _ name: FileName, in directory: InodeNumber, isLastName: Bool
    ) -> (number: InodeNumber, needsDescriptor: Bool)? {
        guard let number = inode(identity) else { return nil }
        let inode = slab[number]
        inode.pointee.pins += 1
        if isLastName { forgetIdentity(of: number) }
        return (number, !isReachable(number) && (isLastName || isAt(number, name: name, in: directory)))
    }

    /// The name went.
    /// - Parameter descriptor: that reaches the inode from now on, or -1.
    /// - Returns: whether the table keeps that.
    mutating func removeName(
        _ name: FileName, in directory: InodeNumber, of number: InodeNumber, isLastName: Bool,
        descriptor: Int32
    ) -> Bool {
        if isLastName || isAt(number, name: name, in: directory) { detach(number, isGone: isLastName) }
        // Another call may have opened one by a name elsewhere.
        guard descriptor >= 0, slab[number].pointee.descriptor < 0 else { return false }
        setDescriptor(descriptor, of: number)
        return true
    }
}

// MARK: Places and paths

extension InodeTable {
    /// Where the inode stands, as far as the rules care. Only the names nearest to the root decide: below
    /// them a place is what its parent's is.
    func place(of number: InodeNumber, under policy: NamePolicy) -> Place {
        var nearest: (InodeNumber?, InodeNumber?, InodeNumber?) = (nil, nil, nil)
        var current = number
        while rootPlaces[current] == nil {
            guard let inode = slab.live(current), inode.name != nil else { return .free }
            nearest = (current, nearest.0, nearest.1)
            current = inode.pointee.parent
        }
        var place = rootPlaces[current] ?? .free
        // Not a loop over an array, which would be made for every call.
        enter(nearest.0, &place, policy)
        enter(nearest.1, &place, policy)
        enter(nearest.2, &place, policy)
        return place
    }

    private func enter(_ step: InodeNumber?, _ place: inout Place, _ policy: NamePolicy) {
        guard let step, let name = slab[step].name else { return }
        place = place.place(
            ofChild: FileName(name).bytes, isDirectory: slab[step].pointee.isDirectory, under: policy)
    }

    /// The directory that holds the inode; nil for a root, and for what has no name.
    func parent(of number: InodeNumber) -> InodeNumber? {
        guard let inode = slab.live(number), inode.name != nil else { return nil }
        return inode.pointee.parent
    }

    /// The names that lead from `top` to an inode; nil where it does not lie there.
    func path(of number: InodeNumber, from top: InodeNumber) -> [[UInt8]]? {
        var names: [[UInt8]] = []
        var current = number
        while current != top {
            guard let inode = slab.live(current), let name = inode.name else { return nil }
            names.append(Array(FileName(name).bytes))
            current = inode.pointee.parent
        }
        return names.reversed()
    }

    /// The names that lead to an inode from its root, for people.
    func shownPath(of number: InodeNumber) -> String {
        var parts: [String] = []
        var current = number
        while let inode = slab.live(current), let name = inode.name {
            parts.append(FileName(name).text)
            current = inode.pointee.parent
        }
        if let bundle, current == bundle.inode { parts.append(bundle.name) }
        return parts.reversed().joined(separator: "/")
    }

    /// Copies the inode's name, where it is in that directory.
    /// - Returns: its length, its NUL not counted; nil where it is elsewhere.
    func copyName(
        of number: InodeNumber, in parent: InodeNumber, to copy: UnsafeMutableBufferPointer<CChar>
    ) -> Int? {
        guard let inode = slab.live(number), inode.pointee.parent == parent,
            let name = inode.name.map(FileName.init), name.count < copy.count
        else { return nil }
        UnsafeMutableRawBufferPointer(copy).copyMemory(from: name.bytes)
        copy[name.count] = 0
        return name.count
    }

    /// What is known in a directory, at the cost of a look at every record.
    private func children(of parent: InodeNumber) -> [InodeNumber] {
        live.filter { slab[$0].pointee.parent == parent && slab[$0].name != nil }
    }

    /// The known names in a directory.
    func names(in parent: InodeNumber) -> [[UInt8]] {
        children(of: parent).compactMap { slab[$0].name.map { Array(FileName($0).bytes) } }
    }

    /// What leads to an inode; nil for a root, and for what has no name.
    func nameAndParent(of number: InodeNumber) -> (name: [UInt8], parent: InodeNumber)? {
        guard let inode = slab.live(number), let name = inode.name else { return nil }
        return (Array(FileName(name).bytes), inode.pointee.parent)
    }

    /// The known directories in one, by their names.
    func directories(in parent: InodeNumber) -> [(number: InodeNumber, name: [CChar])] {
        children(of: parent).compactMap { number in
            guard slab[number].pointee.isDirectory, let name = slab[number].name else { return nil }
            return (number, FileName(name).terminated)
        }
    }
}
