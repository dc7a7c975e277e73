internal import CLinux
internal import Foundation
internal import Glibc
internal import Posix
internal import SystemPackage

/// Writes, and what the ledger has to know of them.
extension Writer {
    /// The most writes that a document keeps; the next one begins it anew.
    private static let mostTokens = 10

    /// An atomic save: written aside, synced, and put in the place of what was there. The exchange shows what
    /// it replaced, whatever came between the look at it and the save.
    mutating func save(_ path: String, keepsOld: Bool = true) throws(Errno) {
        var document = Document()
        if keepsOld, let old = try read(path), old.tokens.count < Self.mostTokens { document = old }
        let token = token(anySize())
        document.tokens.append(token)
        try put(document, at: path)
        ledger.acknowledge(token, in: document, at: path)
    }

    /// A delete of what this device made. What is deleted has first changed places with an empty document,
    /// which nothing that comes from elsewhere replaces before it was compared.
    mutating func remove(_ path: String) throws(Errno) {
        guard try read(path) != nil else { return }
        try put(Document(), at: path, makes: false)
        guard unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// An edit in place: one write at the end, synced.
    mutating func append(_ path: String) throws(Errno) {
        let file = try Descriptor(path, flags: O_RDWR | O_APPEND)
        let bytes = try file.readAll()
        guard var document = Document(bytes) else { return tell(path, bytes) }
        guard document.tokens.count < Self.mostTokens else { return }
        let token = token(.small)
        document.tokens.append(token)
        ledger.attempt(document)
        let line = token.line
        let count = try valueOrErrno(lx_write(file.raw, line, UInt64(line.count)))
        guard count == line.count, fsync(file.raw) == 0 else { throw Errno(rawValue: errno) }
        ledger.acknowledge(token, in: document, at: path)
    }

    /// - Returns: nil where there is nothing, or something that no writer wrote, which is told.
    private func read(_ path: String) throws(Errno) -> Document? {
        let bytes: [UInt8]
        do throws(Errno) {
            let file = try Descriptor(path, flags: O_RDONLY)
            bytes = try file.readAll()
        } catch .noSuchFileOrDirectory {
            return nil
        }
        guard let document = Document(bytes) else {
            tell(path, bytes)
            return nil
        }
        return document
    }

    private func tell(_ path: String, _ bytes: [UInt8]) {
        ledger.find("device \(device.index): \(path) has \(bytes.count) bytes that no writer wrote")
    }

    private mutating func put(_ document: Document, at path: String, makes: Bool = true) throws(Errno) {
        try write(document)
        ledger.attempt(document)
        pending = document
        do throws(Errno) {
            try rename(lx_rename_exchange, to: path)
        } catch .noSuchFileOrDirectory where makes {
            // Whoever makes it meanwhile wins, and the next step saves into that.
            try rename(lx_rename_noreplace, to: path)
            pending = nil
            return
        }
        try recover()
    }

    private func rename(_ flags: UInt32, to path: String) throws(Errno) {
        _ = try valueOrErrno(lx_renameat2(lx_at_fdcwd, aside, lx_at_fdcwd, path, flags))
    }

    private func write(_ document: Document) throws(Errno) {
        let file = try Descriptor(aside, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        try file.writeAll(document.bytes)
        guard fsync(file.raw) == 0 else { throw Errno(rawValue: errno) }
    }

    /// What a save displaced is read, and its lines that the save did not keep were taken out by it. Where
    /// the daemon was ended in the middle, what lies aside tells whether the exchange was made.
    mutating func recover() throws(Errno) {
        guard let mine = pending else { return }
        if let displaced = try read(aside), displaced != mine {
            ledger.giveUp(Set(displaced.tokens).subtracting(mine.tokens))
        }
        guard unlink(aside) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
        pending = nil
    }
}
