internal import CLinux
internal import Posix
internal import SandboxRules

/// Everything that a home tree knows in memory. Guarded by one leaf lock, never held across a system call.
struct Tables {
    var slab = InodeSlab()
    var byIdentity: [Identity: InodeNumber] = [:]
    var cache = DescriptorCache()
    var handles = HandleTable()
    /// Descriptors of closed handles that a call may still be using; they go with their inode's last pin.
    var retired: [InodeNumber: [Int32]] = [:]
    /// For directories whose names were asked for in another spelling.
    var spellings: [InodeNumber: SpellingIndex] = [:]
    /// Every file begins restless.
    var startsRestless = false
    /// What roots count as for the rules.
    var rootPlaces: [InodeNumber: Place] = [:]
    var bundle: BundleRoot?
    /// The root of what no view shows.
    var staging: InodeNumber?
    /// nil: nobody wants to know what changes.
    var feed: ChangeFeed?
}

/// What an ended call leaves to do outside the table lock.
struct Leftovers {
    var descriptors: [Int32] = []

    var isEmpty: Bool { descriptors.isEmpty }
}

extension Tables {
    /// Finds or makes the record of what `name` in `directory` is, and takes a reference to it.
    mutating func remember(_ status: stat, name: FileName, in directory: InodeNumber) -> InodeNumber {
        let identity = Identity(status)
        let type = UInt8(status.st_mode >> 12)
        if let known = byIdentity[identity], slab[known].pointee.type == type {
            slab[known].pointee.references += 1
            note(status, of: known)
            // The only name of an inode is where it is, whatever we believed.
            let isOnlyName = status.st_nlink <= 1 || slab[known].pointee.isDirectory
            // Nor is it where no app sees it, when one finds it elsewhere: staging's rules are not its.
            if slab[known].pointee.isDetached || isOnlyName || isStaged(known) {
                attach(known, name: name, in: directory)
            }
            return known
        }
        let number = slab.insert(status)
        byIdentity[identity] = number
        note(status, of: number)
        if startsRestless && status.isRegular { slab[number].pointee.flags.insert(.restless) }
        attach(number, name: name, in: directory)
        return number
    }

    /// Whether the name that is known lies in staging.
    private func isStaged(_ number: InodeNumber) -> Bool {
        slab[number].name != nil && slab[number].pointee.parent == staging
    }

    /// Remembers what of the attributes decides about later calls.
    func note(_ status: stat, of number: InodeNumber) {
        if status.isPrivileged && status.isRegular {
            slab[number].pointee.flags.insert(.privileged)
        }
        if status.st_nlink > 1 && !status.isDirectory { slab[number].pointee.flags.insert(.linked) }
    }

    /// Gives the inode this name. A root keeps its own.
    mutating func attach(_ number: InodeNumber, name: FileName, in directory: InodeNumber) {
        let inode = slab[number]
        if inode.pointee.flags.contains(.root) { return }
        let old = inode.name
        if let old, inode.pointee.parent == directory && isEqual(old, name) { return }
        inode.setName(name)
        slab[directory].pointee.references += 1
        if old != nil { dropReference(inode.pointee.parent) }
        inode.pointee.parent = directory
        inode.pointee.flags.remove(.detached)
    }

    /// Takes the inode's name away. `isGone`: no other name is left, so that its number may be given anew.
    mutating func detach(_ number: InodeNumber, isGone: Bool) {
        let inode = slab[number]
        if isGone { forgetIdentity(of: number) }
        guard inode.name != nil else { return }
        inode.clearName()
        inode.pointee.flags.insert(.detached)
        dropReference(inode.pointee.parent)
    }

    mutating func forgetIdentity(of number: InodeNumber) {
        let identity = slab[number].pointee.identity
        if byIdentity[identity] == number { byIdentity[identity] = nil }
    }

    /// Whether `name` in `directory` is where the inode is.
    func isAt(_ number: InodeNumber, name: FileName, in directory: InodeNumber) -> Bool {
        let inode = slab[number]
        guard let own = inode.name, inode.pointee.parent == directory else { return false }
        return isEqual(own, name)
    }

    /// Drops a reference without ending the record: for a parent, which ends in `end` of its last child.
    private mutating func dropReference(_ number: InodeNumber) { slab[number].pointee.references -= 1 }

    /// Gives references back, and ends the record, and its parents', that nobody knows any more.
    /// - Returns: descriptors to close outside the lock.
    mutating func release(_ number: InodeNumber, count: UInt32 = 1, into leftovers: inout Leftovers) {
        let inode = slab[number]
        inode.pointee.references -= min(count, inode.pointee.references)
        endUnknown(number, into: &leftovers)
    }

    mutating func unpin(_ number: InodeNumber, into leftovers: inout Leftovers) {
        slab[number].pointee.pins -= 1
        if !retired.isEmpty, slab[number].pointee.pins == 0, let done = retired.removeValue(forKey: number) {
            leftovers.descriptors += done
        }
        endUnknown(number, into: &leftovers)
    }

    private mutating func endUnknown(_ number: InodeNumber, into leftovers: inout Leftovers) {
        var current = number
        while true {
            let inode = slab[current]
            guard inode.pointee.references == 0, inode.pointee.pins == 0,
                !inode.pointee.flags.contains(.root),
                inode.pointee.flags.contains(.live)
            else { return }
            let parent = end(current, into: &leftovers)
            guard let parent else { return }
            dropReference(parent)
            current = parent
        }
    }

    /// Ends one record; returns the parent whose reference it held.
    private mutating func end(_ number: InodeNumber, into leftovers: inout Leftovers) -> InodeNumber? {
        let inode = slab[number]
        forgetIdentity(of: number)
        if inode.pointee.descriptor >= 0 {
            cache.remove(number, from: slab)
            leftovers.descriptors.append(inode.pointee.descriptor)
        }
        if inode.pointee.isDirectory { spellings[number] = nil }
        let keepsParent = keepChange(of: number)
        let parent = inode.name == nil || keepsParent ? nil : inode.pointee.parent
        inode.clearName()
        slab.remove(number)
        return parent
    }

    private func isEqual(_ own: UnsafePointer<CChar>, _ name: FileName) -> Bool {
        for index in 0..<name.count where own[index] != name.cString[index] { return false }
        return own[name.count] == 0
    }
}
