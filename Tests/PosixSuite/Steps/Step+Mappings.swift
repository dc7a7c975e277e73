internal import Glibc

/// Memory maps.
extension Step {
    enum Sharing: Sendable {
        case shared
        case `private`
    }

    /// Maps `count` bytes of a descriptor, for writing too where `writable`.
    static func map(
        _ key: String, as name: String, _ count: Int, at offset: Int = 0, _ sharing: Sharing = .shared,
        writable: Bool = true
    ) -> Step {
        Step("mmap") { world in
            let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
            let flags = sharing == .shared ? MAP_SHARED : MAP_PRIVATE
            let base = mmap(nil, count, protection, flags, world.descriptor(key), offset)
            guard let base, base != MAP_FAILED else { return Answer.name(errno) }
            world.mappings[name] = UnsafeMutableRawBufferPointer(start: base, count: count)
            return "ok"
        }
    }

    /// Writes into a map.
    static func poke(_ name: String, _ text: String, at offset: Int = 0) -> Step {
        Step("poke") { world in
            guard let mapping = world.mappings[name] else { return "no map" }
            for (index, byte) in text.utf8.enumerated() { mapping[offset + index] = byte }
            return "ok"
        }
    }

    /// Reads from a map.
    static func peek(_ name: String, _ count: Int, at offset: Int = 0) -> Step {
        Step("peek") { world in
            guard let mapping = world.mappings[name] else { return "no map" }
            return Answer.contents(Array(mapping[offset..<offset + count]))
        }
    }

    static func syncMap(_ name: String, _ flags: Int32 = MS_SYNC) -> Step {
        Step("msync") { world in
            guard let mapping = world.mappings[name] else { return "no map" }
            return Answer.of(msync(mapping.baseAddress, mapping.count, flags))
        }
    }

    static func unmap(_ name: String) -> Step {
        Step("munmap") { world in
            guard let mapping = world.mappings.removeValue(forKey: name) else { return "no map" }
            return Answer.of(munmap(mapping.baseAddress, mapping.count))
        }
    }

    /// Makes a map writable, or not.
    static func protect(_ name: String, writable: Bool) -> Step {
        Step("mprotect") { world in
            guard let mapping = world.mappings[name] else { return "no map" }
            let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
            return Answer.of(mprotect(mapping.baseAddress, mapping.count, protection))
        }
    }
}
