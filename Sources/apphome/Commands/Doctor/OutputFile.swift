internal import CLinux
internal import Posix
internal import SystemPackage
internal import Wire

/// A file that a command writes for other programs.
enum OutputFile {
    /// Writes a file whole: nobody sees half of it, and a failure leaves what was there. A link stays one,
    /// and what is no file (a pipe, a terminal) is written into.
    static func write(_ text: String, to path: String) throws {
        do throws(Errno) {
            let bytes = Array(text.utf8)
            guard let there = try Present(path) else { return try replace(path, bytes, mode: nil) }
            if there.stamp.isRegular, let target = there.path {
                try replace(target, bytes, mode: there.stamp.mode)
            } else {
                try Descriptor(path, flags: lx_o_wronly).writeAll(bytes)
            }
        } catch {
            throw CommandFailure("cannot write \(path): \(error)")
        }
    }

    /// Adds to a file's end; it is made where it is not there.
    /// - Parameter text: given how long the file is; nil: nothing is to be added.
    /// - Returns: whether something was added.
    static func append(to path: String, _ text: (Int) -> String?) throws(Errno) -> Bool {
        let file = try Descriptor(path, flags: lx_o_wronly | lx_o_append | lx_o_creat, mode: 0o666)
        guard let text = text(Int(clamping: try ItemStamp(of: file.raw).sizeBytes)) else { return false }
        try file.writeAll(Array(text.utf8))
        return true
    }

    /// - Parameter mode: of what it replaces; nil: as any new file has it.
    private static func replace(_ path: String, _ bytes: [UInt8], mode: UInt32?) throws(Errno) {
        let (folder, name) = path.directoryAndName
        let directory = try Descriptor(
            folder.map { $0.isEmpty ? "/" : $0 } ?? ".", flags: lx_o_path | lx_o_directory)
        let item = try AtomicItem(named: name, in: directory.raw, .files)
        do throws(Errno) {
            let flags = lx_o_wronly | lx_o_creat | lx_o_excl | lx_o_nofollow
            let file = try Descriptor(at: directory.raw, item.temporaryName, flags: flags, mode: 0o666)
            if let mode { try valueOrErrno(lx_fchmod(file.raw, mode & 0o777)) }
            try file.writeAll(bytes)
            try item.finish()
        } catch {
            item.discard()
            throw error
        }
    }

    /// What a path leads to, through links.
    private struct Present {
        let stamp: ItemStamp
        /// nil: it has none.
        let path: String?

        /// - Returns: nil where nothing is there.
        init?(_ path: String) throws(Errno) {
            do throws(Errno) {
                let file = try Descriptor(path, flags: lx_o_path)
                stamp = try ItemStamp(of: file.raw)
                self.path = pathOfDescriptor(file.raw)
            } catch .noSuchFileOrDirectory {
                return nil
            }
        }
    }
}
