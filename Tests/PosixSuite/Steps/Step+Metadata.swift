internal import CLinux
internal import CSuite
internal import Glibc

/// Status, modes, owners, access.
extension Step {
    /// Fields of the name itself (a link is not followed).
    static func stat(_ path: String, _ fields: Fields) -> Step {
        Step("stat") { _ in
            statusText(path, fields, flags: lx_at_symlink_nofollow)
        }
    }

    /// Fields of what the name leads to.
    static func statFollowing(_ path: String, _ fields: Fields) -> Step {
        Step("stat following") { _ in
            statusText(path, fields, flags: 0)
        }
    }

    private static func statusText(_ path: String, _ fields: Fields, flags: Int32) -> String {
        var status = Status()
        let result = Name.with(path) { lx_fstatat(lx_at_fdcwd, $0, &status, flags) }
        return result < 0 ? Answer.name(-result) : fields.text(status)
    }

    static func fstat(_ key: String, _ fields: Fields) -> Step {
        Step("fstat") { world in
            var status = Status()
            return Glibc.fstat(world.descriptor(key), &status) < 0 ? Answer.name(errno) : fields.text(status)
        }
    }

    static func mode(_ path: String) -> Step { stat(path, .mode) }
    static func links(_ path: String) -> Step { stat(path, .links) }
    static func size(_ path: String) -> Step { stat(path, .size) }
    static func owner(_ path: String) -> Step { stat(path, .owner) }

    static func chmod(_ path: String, _ mode: mode_t) -> Step {
        Step("chmod") { _ in Answer.of(Name.with(path) { Glibc.chmod($0, mode) }) }
    }

    static func fchmod(_ key: String, _ mode: mode_t) -> Step {
        Step("fchmod") { Answer.of(Glibc.fchmod($0.descriptor(key), mode)) }
    }

    /// Changes the mode of the name itself, which a symbolic link refuses.
    static func lchmod(_ path: String, _ mode: mode_t) -> Step {
        Step("lchmod") { _ in Name.with(path) { Answer.negated(lx_chmodat(lx_at_fdcwd, $0, mode)) } }
    }

    /// An id of -1 stays as it is.
    static func chown(_ path: String, _ uid: Int, _ gid: Int) -> Step {
        Step("chown") { _ in
            Answer.of(Name.with(path) { Glibc.chown($0, identifier(uid), identifier(gid)) })
        }
    }

    static func lchown(_ path: String, _ uid: Int, _ gid: Int) -> Step {
        Step("lchown") { _ in
            Answer.of(Name.with(path) { Glibc.lchown($0, identifier(uid), identifier(gid)) })
        }
    }

    static func fchown(_ key: String, _ uid: Int, _ gid: Int) -> Step {
        Step("fchown") { Answer.of(Glibc.fchown($0.descriptor(key), identifier(uid), identifier(gid))) }
    }

    private static func identifier(_ number: Int) -> UInt32 { UInt32(truncatingIfNeeded: number) }

    /// access(2): by the real ids.
    static func access(_ path: String, _ mode: Int32) -> Step {
        Step("access") { _ in Answer.of(Name.with(path) { Glibc.access($0, mode) }) }
    }

    /// faccessat2(2), by the effective ids where `effective`.
    static func accessAs(_ path: String, _ mode: Int32, effective: Bool, noFollow: Bool = false) -> Step {
        Step("access") { _ in
            Name.with(path) { Answer.negated(lx_faccessat($0, mode, effective ? 1 : 0, noFollow ? 1 : 0)) }
        }
    }

    static func umask(_ mask: mode_t) -> Step {
        Step("umask") { _ in Answer.mode(Glibc.umask(mask)) }
    }

    /// The longest name that the file system holds.
    static func longestName(_ path: String) -> Step {
        Step("longest name") { _ in
            guard let status = space(path) else { return Answer.name(errno) }
            return "\(status.f_namemax)"
        }
    }

    /// Whether statfs(2) answers numbers that fit together.
    static func fileSystemAddsUp(_ path: String) -> Step {
        Step("statvfs") { _ in
            guard let status = space(path) else { return Answer.name(errno) }
            let blocks = status.f_bavail <= status.f_bfree && status.f_bfree <= status.f_blocks
            let files = status.f_ffree <= status.f_files
            return "\(blocks && status.f_blocks > 0) \(files) block \(status.f_frsize)"
        }
    }

    private static func space(_ path: String) -> statvfs? {
        var status = statvfs()
        return Name.with(path) { statvfs($0, &status) } == 0 ? status : nil
    }

    static func pathLimit(_ path: String, _ name: Int32) -> Step {
        Step("pathconf") { _ in Answer.count(Name.with(path) { pathconf($0, name) }) }
    }

    /// Whether statx(2) knows when the file was made.
    static func birthTime(_ path: String) -> Step {
        Step("birth time") { _ in
            var time = timespec()
            let result = Name.with(path) { lx_birth_time(lx_at_fdcwd, $0, &time) }
            return result < 0 ? Answer.negated(result) : (time.tv_sec > 0 ? "known" : "unknown")
        }
    }
}
