internal import CFuse
internal import Posix

extension fuse_open_out {
    /// The answer to an open that passes through; nil for every other.
    init?(passing opened: Opened) {
        guard case .passthrough(let backing) = opened.mode else { return nil }
        // FOPEN_PASSTHROUGH, which allows no FOPEN_KEEP_CACHE beside it, and FOPEN_DIRECT_IO.
        let flags: UInt32 = 1 << 7 | (opened.isDirect ? 1 : 0)
        // The last word is backing_id since protocol 7.40.
        self.init(fh: opened.handle.rawValue, open_flags: flags, padding: UInt32(bitPattern: backing))
    }
}

/// The answer to a CREATE that passes through.
struct PassingCreation: BitwiseCopyable {
    let entry: fuse_entry_out
    let opened: fuse_open_out

    init(_ entry: Entry, numbered number: fuse_ino_t, _ opened: fuse_open_out) {
        self.entry = fuse_entry_out(entry, numbered: number)
        self.opened = opened
    }
}

extension fuse_entry_out {
    fileprivate init(_ entry: Entry, numbered number: fuse_ino_t) {
        self.init()
        nodeid = UInt64(number)
        generation = entry.generation
        (entry_valid, entry_valid_nsec) = seconds(entry.entrySeconds)
        (attr_valid, attr_valid_nsec) = seconds(entry.attributeSeconds)
        attr = fuse_attr(entry.status)
    }
}

/// Seconds as the protocol has them, whole and nanoseconds; never negative.
private func seconds(_ value: Double) -> (UInt64, UInt32) {
    let whole = value.rounded(.down)
    return (UInt64(max(whole, 0)), UInt32(max((value - whole) * 1e9, 0)))
}

extension fuse_attr {
    fileprivate init(_ status: stat) {
        self.init()
        ino = UInt64(status.st_ino)
        size = UInt64(status.st_size)
        blocks = UInt64(status.st_blocks)
        (atime, atimensec) = Self.time(status.st_atim)
        (mtime, mtimensec) = Self.time(status.st_mtim)
        (ctime, ctimensec) = Self.time(status.st_ctim)
        mode = status.st_mode
        nlink = UInt32(truncatingIfNeeded: status.st_nlink)
        uid = status.st_uid
        gid = status.st_gid
        // As new_encode_dev: no app makes devices, so the low bits are all there is.
        rdev = UInt32(truncatingIfNeeded: status.st_rdev)
        blksize = UInt32(truncatingIfNeeded: status.st_blksize)
    }

    private static func time(_ time: timespec) -> (UInt64, UInt32) {
        (UInt64(bitPattern: Int64(time.tv_sec)), UInt32(truncatingIfNeeded: time.tv_nsec))
    }
}
