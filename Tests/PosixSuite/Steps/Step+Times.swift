internal import CLinux
internal import CSuite
internal import Glibc

/// Times: which have moved, and set ones read back.
extension Step {
    /// What utimensat(2) makes of a time.
    enum Time: Sendable {
        case now
        case omit
        case at(Int, Int = 0)

        var value: timespec {
            switch self {
            case .now: timespec(tv_sec: 0, tv_nsec: Int(lx_utime_now))
            case .omit: timespec(tv_sec: 0, tv_nsec: Int(lx_utime_omit))
            case .at(let seconds, let nanoseconds): timespec(tv_sec: seconds, tv_nsec: nanoseconds)
            }
        }
    }

    /// Which of mtime and ctime of `paths` have changed over `steps`, which begin in a later clock step.
    static func watch(_ paths: String..., do steps: Step...) -> Step {
        Step("", around: steps) { world in
            moves(paths, steps, world) { before, after in
                [
                    Stamp(before.st_mtim) == Stamp(after.st_mtim) ? nil : "mtime",
                    Stamp(before.st_ctim) == Stamp(after.st_ctim) ? nil : "ctime",
                ]
            }
        }
    }

    /// Whether the access times of `paths` have changed over `steps`.
    static func watchAccess(_ paths: String..., do steps: Step...) -> Step {
        Step("", around: steps) { world in
            moves(paths, steps, world) { before, after in
                [Stamp(before.st_atim) == Stamp(after.st_atim) ? nil : "atime"]
            }
        }
    }

    /// As `watch` for one file whose name the steps change.
    static func watchRenamed(_ old: String, to new: String, do steps: Step...) -> Step {
        Step("", around: steps) { world in
            let before = status(old)
            Clock.step()
            let texts = steps.map { $0.run(world) }
            guard let before, let after = status(new) else { return "gone" }
            let modification = Stamp(before.st_mtim) == Stamp(after.st_mtim) ? "" : " mtime"
            let change = Stamp(before.st_ctim) == Stamp(after.st_ctim) ? "" : " ctime"
            return texts.joined(separator: "; ") + "; moved:" + modification + change
        }
    }

    private static func moves(
        _ paths: [String], _ steps: [Step], _ world: World, _ compare: (Status, Status) -> [String?]
    ) -> String {
        let before = paths.map(status)
        Clock.step()
        var texts = steps.map { $0.run(world) }
        for (path, before) in zip(paths, before) {
            guard let before, let after = status(path) else {
                texts.append("\(path): gone")
                continue
            }
            let moved = compare(before, after).compactMap { $0 }
            texts.append("\(path): \(moved.isEmpty ? "no time" : moved.joined(separator: " ")) moved")
        }
        return texts.joined(separator: "; ")
    }

    private static func status(_ path: String) -> Status? {
        var status = Status()
        return Name.with(path) { lstat($0, &status) } == 0 ? status : nil
    }

    static func setTimes(_ path: String, access: Time, modification: Time) -> Step {
        Step("utimens") { _ in
            let times = [access.value, modification.value]
            return Answer.of(Name.with(path) { utimensat(lx_at_fdcwd, $0, times, 0) })
        }
    }

    static func setTimesOfLink(_ path: String, access: Time, modification: Time) -> Step {
        Step("utimens of link") { _ in
            let times = [access.value, modification.value]
            return Answer.of(Name.with(path) { utimensat(lx_at_fdcwd, $0, times, lx_at_symlink_nofollow) })
        }
    }

    static func setDescriptorTimes(_ key: String, access: Time, modification: Time) -> Step {
        Step("futimens") { world in
            Answer.of(futimens(world.descriptor(key), [access.value, modification.value]))
        }
    }

    /// utimes(path, NULL): both times to now, which a writer who is not the owner may.
    static func touch(_ path: String) -> Step {
        Step("touch") { _ in Answer.of(Name.with(path) { utimensat(lx_at_fdcwd, $0, nil, 0) }) }
    }

    /// Access and modification time as they stand: for files whose times a case has set.
    static func times(_ path: String) -> Step {
        Step("times") { _ in
            guard let status = status(path) else { return Answer.name(errno) }
            let (access, modification) = (status.st_atim, status.st_mtim)
            return "\(access.tv_sec).\(access.tv_nsec) \(modification.tv_sec).\(modification.tv_nsec)"
        }
    }

    /// Whether the modification time of one is that of the other.
    static func sameModification(_ one: String, _ other: String) -> Step {
        Step("same mtime") { _ in
            guard let first = status(one), let second = status(other) else { return Answer.name(errno) }
            return Stamp(first.st_mtim) == Stamp(second.st_mtim) ? "yes" : "no"
        }
    }
}
