internal import Backup
package import FuseKit
package import Posix
package import SystemPackage

/// Extended attributes: those of the device as they were recorded, and what else the record says.
extension BackupFileSystem {
    package func isSlow(attribute name: FileName, of node: NodeKey) -> Bool {
        !isNeverThere(name) && isSlow(at: node)
    }

    package func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        if isNeverThere(name) { throw .noData }
        let found = try attributes(of: node).first { $0.name.utf8.elementsEqual(name.bytes) }
        guard let found else { throw .noData }
        return try UnbackedItem.give(attribute: found.value, to: buffer)
    }

    /// What every ls(1) asks for, of each file.
    private func isNeverThere(_ name: FileName) -> Bool {
        ["security.", "system."].contains { name.bytes.starts(with: $0.utf8) }
    }

    package func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        let names: [UInt8] = try attributes(of: node).flatMap { Array($0.name.utf8) + [0] }
        return try UnbackedItem.give(attribute: names, to: buffer)
    }

    private func attributes(of node: NodeKey) throws(Errno) -> [(name: String, value: [UInt8])] {
        guard let item = try item(node) else {
            return isSynthetic(node) ? [("user.apphome.synthetic", Array("yes".utf8))] : []
        }
        let record = item.record
        let own = [
            ("domain", item.domain), ("file-id", "\(item.identifier)"), ("inode", "\(record.inode)"),
            ("birth-time", "\(record.birthSeconds)"), ("protection-class", "\(record.protectionClass)"),
        ]
        let recorded = record.attributes.filter { !$0.name.isEmpty && !$0.name.utf8.contains(0) }
        return recorded.map { ($0.name, $0.value) }
            + own.map { ("user.apphome.\($0.0)", Array($0.1.utf8)) }
    }
}
