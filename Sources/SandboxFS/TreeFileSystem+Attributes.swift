internal import CLinux
internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Extended attributes by their names on the mount: Apple's without a namespace (SPEC 4).
extension TreeFileSystem {
    func readExtendedAttribute(
        _ name: FileName, of inode: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        switch AttributeName.standing(of: name.bytes) {
        case .own: throw .noData
        case .status: return try readStatus(of: inode, into: buffer)
        case .ordinary:
            try refuseAccessLists(name)
            return try tree.extendedAttribute(backingName: name.cString, of: inode, into: buffer)
        case .apple:
            return try AttributeName.withBackingName(of: name.bytes) { (backing) throws(Errno) in
                try tree.extendedAttribute(backingName: backing, of: inode, into: buffer)
            }
        }
    }

    /// Computed when it is asked for, and never listed (SPEC 7): `ls -l@` of a folder asks nobody.
    private func readStatus(
        of inode: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        guard let status = tree.cloudStatus(of: inode) else { throw .noData }
        return try give(status, to: buffer)
    }

    /// Answers an attribute's value.
    func give(_ value: String, to buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try UnbackedItem.give(attribute: Array(value.utf8), to: buffer)
    }

    func readExtendedAttributeNames(
        of inode: InodeNumber, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { (backing) throws(Errno) in
            let count = try tree.extendedAttributeNames(of: inode, into: backing)
            var written = 0
            for name in UnsafeRawBufferPointer(rebasing: backing[..<count]).split(separator: 0) {
                let whole = UnsafeRawBufferPointer(rebasing: name)
                guard shows(whole, to: caller),
                    let listed = AttributeName.listedName(
                        forBacking: whole, prefixed: listsPrefixedAttributes)
                else { continue }
                if !buffer.isEmpty {
                    if written + listed.count + 1 > buffer.count { throw .outOfRange }
                    UnsafeMutableRawBufferPointer(rebasing: buffer[written...]).copyMemory(from: listed)
                    buffer[written + listed.count] = 0
                }
                written += listed.count + 1
            }
            return written
        }
    }

    /// `trusted.*` is shown only to those who may read it, as the kernel does for its own file systems; ACLs
    /// are not kept.
    private func shows(_ name: UnsafeRawBufferPointer, to caller: Caller) -> Bool {
        if name.starts(with: "trusted.".utf8) { return caller.uid == 0 }
        return !name.starts(with: "system.posix_acl_".utf8)
    }

    /// ACLs would be stored and not enforced, so they are refused.
    func refuseAccessLists(_ name: FileName) throws(Errno) {
        if name.bytes.starts(with: "system.posix_acl_".utf8) { throw .operationNotSupported }
    }
}
