internal import CLinux
internal import CSuite
internal import Glibc

/// Making, linking, renaming and removing names.
extension Step {
    static func mkdir(_ path: String, mode: mode_t = 0o755) -> Step {
        Step("mkdir") { _ in Answer.of(Name.with(path) { Glibc.mkdir($0, mode) }) }
    }

    /// A directory of exactly these modes, whatever the umask is.
    static func makeOpenDirectory(_ path: String, mode: mode_t) -> Step {
        Step("mkdir") { _ in
            Name.with(path) { path in
                let made = Glibc.mkdir(path, 0o700)
                return made < 0 ? Answer.name(errno) : Answer.of(Glibc.chmod(path, mode))
            }
        }
    }

    static func rmdir(_ path: String) -> Step {
        Step("rmdir") { _ in Answer.of(Name.with(path) { Glibc.rmdir($0) }) }
    }

    static func unlink(_ path: String) -> Step {
        Step("unlink") { _ in Answer.of(Name.with(path) { Glibc.unlink($0) }) }
    }

    static func link(_ old: String, _ new: String) -> Step {
        Step("link") { _ in Answer.of(Name.with(old) { old in Name.with(new) { Glibc.link(old, $0) } }) }
    }

    /// A link to what the symbolic link `old` points to.
    static func linkFollowing(_ old: String, _ new: String) -> Step {
        Step("link following") { _ in
            let here = lx_at_fdcwd
            return Name.with(old) { old in
                Name.with(new) { Answer.negated(lx_linkat(here, old, here, $0, lx_at_symlink_follow)) }
            }
        }
    }

    /// Gives an open file a name, through /proc.
    static func linkDescriptor(_ key: String, _ new: String) -> Step {
        Step("link descriptor") { world in
            let (here, old) = (lx_at_fdcwd, "/proc/self/fd/\(world.descriptor(key))")
            return Name.with(new) { Answer.negated(lx_linkat(here, old, here, $0, lx_at_symlink_follow)) }
        }
    }

    static func symlink(_ target: String, _ path: String) -> Step {
        Step("symlink") { _ in
            Answer.of(Name.with(target) { target in Name.with(path) { Glibc.symlink(target, $0) } })
        }
    }

    static func readlink(_ path: String, bufferBytes: Int = 5000) -> Step {
        Step("readlink") { _ in
            contents(bufferBytes) { buffer in
                Name.with(path) {
                    Glibc.readlink($0, buffer.assumingMemoryBound(to: CChar.self), bufferBytes)
                }
            }
        }
    }

    static func rename(_ old: String, _ new: String) -> Step {
        Step("rename") { _ in Answer.of(Name.with(old) { old in Name.with(new) { Glibc.rename(old, $0) } }) }
    }

    static func renameNoReplace(_ old: String, _ new: String) -> Step {
        renameWith("rename noreplace", lx_rename_noreplace, old, new)
    }

    static func exchange(_ old: String, _ new: String) -> Step {
        renameWith("exchange", lx_rename_exchange, old, new)
    }

    static func renameWhiteout(_ old: String, _ new: String) -> Step {
        renameWith("rename whiteout", lx_rename_whiteout, old, new)
    }

    static func renameWith(_ verb: String, _ flags: UInt32, _ old: String, _ new: String) -> Step {
        Step(verb) { _ in
            let here = lx_at_fdcwd
            return Name.with(old) { old in
                Name.with(new) { Answer.negated(lx_renameat2(here, old, here, $0, flags)) }
            }
        }
    }

    /// A fifo, socket, regular file or device.
    static func mknod(_ path: String, _ kind: mode_t, mode: mode_t = 0o644, device: dev_t = 0) -> Step {
        Step("mknod") { _ in Answer.of(Name.with(path) { Glibc.mknod($0, kind | mode, device) }) }
    }

    static func chdir(_ path: String) -> Step {
        Step("chdir") { _ in Answer.of(Name.with(path) { Glibc.chdir($0) }) }
    }

    static func fchdir(_ key: String) -> Step {
        Step("fchdir") { Answer.of(Glibc.fchdir($0.descriptor(key))) }
    }

    /// Whether the working directory has a path, and the path's last part.
    static func workingDirectory() -> Step {
        Step("getcwd") { _ in
            guard let path = getcwd(nil, 0) else { return Answer.name(errno) }
            defer { free(path) }
            let text = String(cString: path)
            return String(text.split(separator: "/").last ?? "/")
        }
    }

    /// Whether two names are one inode.
    static func same(_ one: String, _ other: String) -> Step {
        Step("same inode") { _ in
            var (first, second) = (Status(), Status())
            let found =
                Name.with(one) { lstat($0, &first) } == 0 && Name.with(other) { lstat($0, &second) } == 0
            guard found else { return Answer.name(errno) }
            return first.st_ino == second.st_ino && first.st_dev == second.st_dev ? "yes" : "no"
        }
    }

    /// Whether a descriptor and a name are one inode.
    static func isOpen(_ key: String, _ path: String) -> Step {
        Step("same as open") { world in
            var (first, second) = (Status(), Status())
            let found =
                Glibc.fstat(world.descriptor(key), &first) == 0 && Name.with(path) { lstat($0, &second) } == 0
            guard found else { return Answer.name(errno) }
            return first.st_ino == second.st_ino ? "yes" : "no"
        }
    }
}
