internal import CLinux
internal import Foundation
internal import Glibc
internal import Posix
internal import SystemPackage
internal import TestKit

/// What it does next.
extension Writer {
    private static let sharedNames = 8
    private static let directoryNames = 4

    mutating func step() throws(Errno) {
        switch random.below(100) {
        case 0..<30: try save(try sharedPath())
        case 30..<38: try save(try sharedPath(), keepsOld: false)
        case 38..<55: if let path = pick({ $0.hasPrefix("s") }) { try append(path) }
        case 55..<59: try save(try directory() + "/o\(device.index)-\(number)")
        case 59..<63: try save(try directory() + "/m\(device.index)-\(number)")
        case 63..<70:
            let other = (device.index + fleetSize - 1) % fleetSize
            if let path = pick({ $0.hasPrefix("o\(other)-") }) { try append(path) }
        case 70..<76: try removeOwn()
        case 76..<79: try moveDocument()
        case 79..<82: if let path = pick({ $0.hasPrefix("m") }) { try append(path) }
        case 82..<85: try moveDirectory()
        case 85..<89: try make(try directory() + "/d\(random.below(Self.directoryNames))")
        case 89..<91: if let path = pickDirectory() { try check(rmdir(path)) }
        case 91..<94: if let path = pick({ $0.hasPrefix("s") }) { try check(chmod(path, anyMode())) }
        case 94..<97: try mark()
        default:
            let name = "l\(device.index)-\(random.below(4))"
            try check(symlink("../target-\(number)", device.documents + "/" + name))
        }
    }

    private mutating func removeOwn() throws(Errno) {
        let prefix = "o\(device.index)-"
        if let path = pick({ $0.hasPrefix(prefix) }) { try remove(path) }
    }

    private mutating func anyMode() -> mode_t { [0o644, 0o600, 0o640, 0o755][random.below(4)] }

    private mutating func mark() throws(Errno) {
        guard let path = pick({ $0.hasPrefix("s") }) else { return }
        if let error = setAttribute("com.apple.storm", Array("\(number)".utf8), of: path) { throw error }
    }

    private mutating func moveDocument() throws(Errno) {
        guard let path = pick({ $0.hasPrefix("m") }) else { return }
        number += 1
        let target = try directory() + "/m\(device.index)-\(number)"
        _ = try valueOrErrno(lx_renameat2(lx_at_fdcwd, path, lx_at_fdcwd, target, lx_rename_noreplace))
    }

    private mutating func moveDirectory() throws(Errno) {
        guard let path = pickDirectory() else { return }
        let target = try directory() + "/d\(random.below(Self.directoryNames))"
        _ = try valueOrErrno(lx_renameat2(lx_at_fdcwd, path, lx_at_fdcwd, target, lx_rename_noreplace))
    }

    private func make(_ path: String) throws(Errno) {
        // Below the third level nothing is gained.
        guard path.dropFirst(device.documents.count).split(separator: "/").count <= 3 else { return }
        try check(mkdir(path, 0o755))
    }

    /// One that is there, or a name that may be new.
    private mutating func sharedPath() throws(Errno) -> String {
        if random.below(5) > 0, let path = pick({ $0.hasPrefix("s") }) { return path }
        return try directory() + "/s\(random.below(Self.sharedNames))"
    }

    private mutating func directory() throws(Errno) -> String {
        random.below(2) == 0 ? device.documents : pickDirectory() ?? device.documents
    }

    private mutating func pick(_ isWanted: (String) -> Bool) -> String? {
        let found = all { kind, name in kind != DT_DIR && kind != DT_LNK && isWanted(name) }
        return random.pick(found)
    }

    private mutating func pickDirectory() -> String? {
        // Not Inbox, which is the system's.
        random.pick(all { kind, name in kind == DT_DIR && name.hasPrefix("d") })
    }

    /// Paths of what is there now and wanted, in the order in which the directories tell them.
    private func all(_ isWanted: (Int, String) -> Bool) -> [String] {
        var found: [String] = []
        var left = [device.documents]
        while let path = left.popLast() {
            guard let directory = opendir(path) else { continue }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let kind = Int(entry.pointee.d_type)
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name == "." || name == ".." { continue }
                if isWanted(kind, name) { found.append(path + "/" + name) }
                if kind == DT_DIR { left.append(path + "/" + name) }
            }
        }
        return found
    }

    private func check(_ result: Int32) throws(Errno) {
        if result < 0 { throw Errno(rawValue: errno) }
    }
}
