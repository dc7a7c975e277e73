internal import CLinux
internal import CloudSync
internal import Glibc
internal import Posix
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// Copies an item out of a store, with the rights of the client who asked.
struct ReplicaCopy {
    let replica: StoreReplica
    let rights: ClientRights
    let report: WorkMeter
    /// One descriptor and some stack for each level: deeper trees are refused.
    private static let deepest = 500
    private static let runBytes = 4 << 20

    /// - Throws: EEXIST, ENAMETOOLONG for a tree over 500 levels deep, what writing answers; `SyncTrouble`.
    ///   Nothing is left of it then.
    func copy(_ item: StoreReplica.Item, to target: CopyTarget) throws {
        let directory = target.directory.raw
        let copy = try rights.call { () throws(Errno) in
            try AtomicItem(named: target.name, in: directory, target.replaces ? .anything : .nothing)
        }
        do {
            try self.copy(item, to: directory, as: copy.temporaryName, levels: Self.deepest)
            try rights.call(copy.finish)
        } catch {
            try? rights.call { () throws(Errno) in copy.discard() }
            throw error
        }
    }

    /// Reads a file from the store, and gives its bytes, in order, to `body`.
    static func read(
        _ content: LocatedContent, of replica: StoreReplica, _ body: ([UInt8]) throws -> Void
    ) throws {
        var offset: UInt64 = 0
        while offset < content.sizeBytes {
            let start = offset
            let bytes = try Blocking.wait {
                try await replica.read(content, at: start, count: Self.runBytes)
            }
            try body(bytes)
            offset += UInt64(bytes.count)
        }
    }

    private func copy(_ item: StoreReplica.Item, to target: Int32, as name: String, levels: Int) throws {
        guard levels > 0 else { throw Errno.fileNameTooLong }
        if item.node.isDirectory {
            let made = try makeDirectory(name, in: target)
            for child in try replica.items(in: item.number) {
                try copy(child, to: made.raw, as: child.node.name, levels: levels - 1)
            }
            try finish(made.raw, item.node)
        } else if case .symlink(let text) = item.node.current?.content {
            return try makeLink(name, in: target, to: text)
        } else if let content = try replica.content(of: item.number) {
            try copy(content, of: item.node, to: target, as: name)
        }
    }

    private func copy(
        _ content: LocatedContent, of node: Node, to target: Int32, as name: String
    ) throws {
        let made = try make(name, in: target) { (name) throws(Errno) in
            let flags = lx_o_wronly | lx_o_creat | lx_o_excl | lx_o_nofollow
            return try valueOrErrno(lx_openat(target, name.cString, flags, 0o600))
        }
        try Self.read(content, of: replica) { bytes in
            try made.writeAll(bytes)
            try report.add(Int64(bytes.count))
        }
        try finish(made.raw, node)
    }

    private func makeDirectory(_ name: String, in target: Int32) throws -> Descriptor {
        try make(name, in: target) { (name) throws(Errno) in
            try valueOrErrno(lx_mkdirat(target, name.cString, 0o700))
            return try valueOrErrno(lx_openat(target, name.cString, lx_o_directory | lx_o_nofollow, 0))
        }
    }

    private func make(
        _ name: String, in target: Int32, _ body: (FileName) throws(Errno) -> Int32
    ) throws(Errno) -> Descriptor {
        Descriptor(
            owning: try rights.call { () throws(Errno) in
                try name.withFileName { (name) throws(Errno) in try body(name) }
            })
    }

    private func makeLink(_ name: String, in target: Int32, to text: [UInt8]) throws(Errno) {
        let text = text.map(CChar.init(bitPattern:)) + [0]
        try rights.call { () throws(Errno) in
            try name.withFileName { (name) throws(Errno) in
                _ = try valueOrErrno(lx_symlinkat(text, target, name.cString))
            }
        }
    }

    /// By the descriptor: another file may have taken its name meanwhile.
    private func finish(_ made: Int32, _ node: Node) throws(Errno) {
        let (seconds, rest) = node.attributes.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(max(0, rest)))
        try rights.call { () throws(Errno) in
            // Never set-user-id, or for others to write, in somebody's folder.
            try valueOrErrno(lx_fchmod(made, UInt32(node.attributes.mode) & 0o755))
            // The log has no times of directories.
            if !node.isDirectory { try valueOrErrno(lx_futimens(made, [time, time])) }
        }
    }
}
