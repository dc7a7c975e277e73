internal import Posix

/// The room for a name in an inode's record: short names lie there, longer ones in an allocation of their
/// own.
///
/// INVARIANT: the last byte is 0 and the others are the name with its NUL (no name: all are 0); or the last
/// is 1 and the first word is the address of the name.
struct StoredName {
    /// With its NUL a name of this length ends where the last byte is.
    static let longestInside = MemoryLayout<StoredName>.size - 1

    fileprivate var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    fileprivate init() {}

    static var none: StoredName { StoredName() }

    /// A copy of `name`.
    fileprivate init(_ name: FileName) {
        guard name.count > StoredName.longestInside else {
            withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: name.bytes) }
            return
        }
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: name.count + 1)
        copy.update(from: name.cString, count: name.count)
        copy[name.count] = 0
        words.0 = UInt64(UInt(bitPattern: copy))
        withUnsafeMutableBytes(of: &words) { $0[StoredName.longestInside] = 1 }
    }

    fileprivate var allocation: UnsafeMutablePointer<CChar>? {
        let isOutside = withUnsafeBytes(of: words) { $0[StoredName.longestInside] } != 0
        return isOutside ? UnsafeMutablePointer(bitPattern: UInt(words.0)) : nil
    }
}

extension UnsafeMutablePointer where Pointee == Inode {
    /// The name in the backing directory, NUL-terminated; nil for roots and detached inodes. Stays where it
    /// is until it is changed: to be used under the table lock alone, or copied.
    var name: UnsafePointer<CChar>? {
        if let allocation = pointee.storedName.allocation { return UnsafePointer(allocation) }
        if pointee.storedName.words.0 == 0 { return nil }
        // The record never moves, and its name is the first thing in it.
        return UnsafePointer(UnsafeRawPointer(self).assumingMemoryBound(to: CChar.self))
    }

    /// Copies `name` into the record, in place of the one before, which it may be.
    func setName(_ name: FileName) { replaceName(with: StoredName(name)) }

    func clearName() { replaceName(with: .none) }

    private func replaceName(with new: StoredName) {
        let old = pointee.storedName.allocation
        pointee.storedName = new
        old?.deallocate()
    }
}
