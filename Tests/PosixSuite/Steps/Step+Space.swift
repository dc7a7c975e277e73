internal import CLinux
internal import CSuite
internal import Glibc

/// Sizes, holes and allocation; what reaches the disk.
extension Step {
    static func truncate(_ path: String, _ size: Int) -> Step {
        Step("truncate") { _ in Answer.of(Name.with(path) { Glibc.truncate($0, size) }) }
    }

    static func ftruncate(_ key: String, _ size: Int) -> Step {
        Step("ftruncate") { Answer.of(Glibc.ftruncate($0.descriptor(key), size)) }
    }

    static func allocate(_ key: String, _ how: Allocation = [], at offset: Int, _ count: Int) -> Step {
        Step("fallocate") { world in
            Answer.negated(lx_fallocate(world.descriptor(key), how.rawValue, Int64(offset), Int64(count)))
        }
    }

    static func copyRange(
        _ from: String, at fromOffset: Int, to: String, at toOffset: Int, _ count: Int
    ) -> Step {
        Step("copy") { world in
            var (source, target) = (Int64(fromOffset), Int64(toOffset))
            let copied = lx_copy_file_range(
                world.descriptor(from), &source, world.descriptor(to), &target, UInt64(count))
            return copied < 0 ? Answer.name(Int32(-copied)) : "\(copied)"
        }
    }

    /// As `copyRange`, from and to the descriptors' own positions.
    static func copyOn(_ from: String, to: String, _ count: Int) -> Step {
        Step("copy on") { world in
            let copied = lx_copy_file_range(
                world.descriptor(from), nil, world.descriptor(to), nil, UInt64(count))
            return copied < 0 ? Answer.name(Int32(-copied)) : "\(copied)"
        }
    }

    static func sync(_ key: String) -> Step {
        Step("fsync") { Answer.of(fsync($0.descriptor(key))) }
    }

    static func syncData(_ key: String) -> Step {
        Step("fdatasync") { Answer.of(fdatasync($0.descriptor(key))) }
    }

    static func syncRange(_ key: String) -> Step {
        Step("sync_file_range") { Answer.negated(lx_sync_file_range($0.descriptor(key))) }
    }

    static func syncFileSystem(_ key: String) -> Step {
        Step("syncfs") { Answer.negated(lx_syncfs($0.descriptor(key))) }
    }

    static func advise(_ key: String, _ advice: Int32) -> Step {
        Step("fadvise") { world in
            let number = posix_fadvise(world.descriptor(key), 0, 0, advice)
            return number == 0 ? "ok" : Answer.name(number)
        }
    }

    /// Writes or reads `count` bytes of a buffer aligned to 4096, moved on by `shift` bytes.
    static func directWrite(_ key: String, _ count: Int, at offset: Int, shift: Int = 0) -> Step {
        Step("write") { world in
            aligned(count + shift) {
                Answer.count(Glibc.pwrite(world.descriptor(key), $0 + shift, count, offset))
            }
        }
    }

    static func directRead(_ key: String, _ count: Int, at offset: Int, shift: Int = 0) -> Step {
        Step("read") { world in
            aligned(count + shift) {
                Answer.count(Glibc.pread(world.descriptor(key), $0 + shift, count, offset))
            }
        }
    }

    private static func aligned(_ count: Int, _ body: (UnsafeMutableRawPointer) -> String) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 4096)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 0x64)
        guard let base = buffer.baseAddress else { return "no memory" }
        return body(base)
    }

    static func inodeFlags(_ key: String) -> Step {
        Step("getflags") { world in
            var flags: Int32 = 0
            return Answer.negated(lx_get_inode_flags(world.descriptor(key), &flags))
        }
    }

    static func extents(_ key: String) -> Step {
        Step("fiemap") { world in
            let count = lx_count_extents(world.descriptor(key))
            return count < 0 ? Answer.name(-count) : "\(count) extents"
        }
    }
}

/// Modes of fallocate(2).
struct Allocation: OptionSet, Sendable {
    let rawValue: Int32

    static let keepSize = Allocation(rawValue: lx_falloc_keep_size)
    static let punchHole = Allocation(rawValue: lx_falloc_punch_hole)
    static let zeroRange = Allocation(rawValue: lx_falloc_zero_range)
    static let collapseRange = Allocation(rawValue: lx_falloc_collapse_range)
    static let insertRange = Allocation(rawValue: lx_falloc_insert_range)
    static let unshareRange = Allocation(rawValue: lx_falloc_unshare_range)
}
