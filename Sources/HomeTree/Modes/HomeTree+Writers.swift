internal import CLinux
internal import Posix
internal import SystemPackage

/// Whether anybody writes a file of the home, asked of the backing files one by one.
extension HomeTree {
    private typealias Level = (directory: SharedDescriptor, names: [String])

    /// Whether every file of the home is quiet: nobody has it open for writing, or mapped so, through a mount
    /// or past all of them. Walks the whole home; for a thread that nobody waits for.
    ///
    /// - Parameter isWanted: asked before each file; where it says no, so does this.
    /// - Returns: false also where a file could not be asked.
    public func isQuiet(while isWanted: () -> Bool) -> Bool {
        do throws(Errno) {
            let top = try inodes.withDirectory(home) { (descriptor) throws(Errno) in
                SharedDescriptor(try Descriptor(at: descriptor, ".", flags: lx_o_directory))
            }
            // On the way down: what was opened, and which directories in it are still to be entered.
            var levels: [Level] = []
            guard try add(top, to: &levels, while: isWanted) else { return false }
            while let last = levels.indices.last {
                guard let name = levels[last].names.popLast() else {
                    levels.removeLast()
                    continue
                }
                guard let next = try enter(name, in: levels[last].directory.raw) else { continue }
                guard try add(next, to: &levels, while: isWanted) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    /// - Returns: nil where it is no directory any more.
    private func enter(_ name: String, in directory: Int32) throws(Errno) -> SharedDescriptor? {
        do throws(Errno) {
            let flags = lx_o_directory | lx_o_nofollow
            return SharedDescriptor(try Descriptor(at: directory, name, flags: flags))
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw error
        }
    }

    /// Asks the files of a directory, and notes the directories in it.
    /// - Returns: false where one is not quiet.
    private func add(
        _ directory: SharedDescriptor, to levels: inout [Level], while isWanted: () -> Bool
    ) throws(Errno) -> Bool {
        var names: [String] = []
        var entries = DirectoryEntries()
        while let entry = try entries.next(of: directory.raw) {
            if entry.name.isDotOrDotDot { continue }
            switch entry.mode == 0 ? mode(of: entry.name, in: directory.raw) : entry.mode {
            case FileMode.directory: names.append(entry.name.text)
            case FileMode.regular:
                guard isWanted(), try isQuiet(entry.name, in: directory.raw) else { return false }
            default: continue
            }
        }
        levels.append((directory, names))
        return true
    }

    /// For a file system whose directories do not say; 0 where it is gone.
    private func mode(of name: FileName, in directory: Int32) -> UInt32 {
        var status = stat()
        let result = lx_fstatat(directory, name.cString, &status, lx_at_symlink_nofollow)
        return result == 0 ? status.st_mode & FileMode.typeMask : 0
    }

    private func isQuiet(_ name: FileName, in directory: Int32) throws(Errno) -> Bool {
        do throws(Errno) {
            let file = Descriptor(owning: try inodes.openContents(directory, name.cString, flags: 0))
            return inodes.leases.withLock { _ in lx_probe_read_lease(file.raw) } == 0
        } catch {
            if error == .noSuchFileOrDirectory { return true }
            throw error
        }
    }
}
