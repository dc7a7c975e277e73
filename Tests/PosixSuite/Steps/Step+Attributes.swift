internal import CLinux
internal import CSuite
internal import Glibc

/// Extended attributes.
extension Step {
    static func setAttribute(_ path: String, _ name: String, _ value: String, flags: Int32 = 0) -> Step {
        Step("setxattr") { _ in
            let bytes = Array(value.utf8)
            return Answer.of(Name.with(path) { setxattr($0, name, bytes, bytes.count, flags) })
        }
    }

    /// An attribute of `count` bytes.
    static func setLongAttribute(_ path: String, _ name: String, _ count: Int) -> Step {
        Step("setxattr") { _ in
            let bytes = [UInt8](repeating: 0x76, count: count)
            return Answer.of(Name.with(path) { setxattr($0, name, bytes, bytes.count, 0) })
        }
    }

    /// Of the name itself.
    static func setLinkAttribute(_ path: String, _ name: String, _ value: String) -> Step {
        Step("lsetxattr") { _ in
            let bytes = Array(value.utf8)
            return Answer.of(Name.with(path) { lsetxattr($0, name, bytes, bytes.count, 0) })
        }
    }

    static func setDescriptorAttribute(_ key: String, _ name: String, _ value: String) -> Step {
        Step("fsetxattr") { world in
            let bytes = Array(value.utf8)
            return Answer.of(fsetxattr(world.descriptor(key), name, bytes, bytes.count, 0))
        }
    }

    static func attribute(_ path: String, _ name: String, bufferBytes: Int = 70_000) -> Step {
        Step("getxattr") { _ in
            contents(bufferBytes) { buffer in Name.with(path) { getxattr($0, name, buffer, bufferBytes) } }
        }
    }

    static func linkAttribute(_ path: String, _ name: String) -> Step {
        Step("lgetxattr") { _ in
            contents(100) { buffer in Name.with(path) { lgetxattr($0, name, buffer, 100) } }
        }
    }

    static func descriptorAttribute(_ key: String, _ name: String) -> Step {
        Step("fgetxattr") { world in
            contents(100) { fgetxattr(world.descriptor(key), name, $0, 100) }
        }
    }

    /// The size that an attribute would need.
    static func attributeSize(_ path: String, _ name: String) -> Step {
        Step("getxattr size") { _ in Answer.count(Name.with(path) { getxattr($0, name, nil, 0) }) }
    }

    static func attributes(_ path: String, bufferBytes: Int = 70_000) -> Step {
        Step("listxattr") { _ in
            var buffer = [CChar](repeating: 0, count: bufferBytes)
            let count = Name.with(path) { listxattr($0, &buffer, bufferBytes) }
            guard count >= 0 else { return Answer.name(errno) }
            let names = buffer[..<count].split(separator: 0)
                .map { String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
            return names.isEmpty ? "nothing" : names.sorted().joined(separator: " ")
        }
    }

    static func attributesSize(_ path: String) -> Step {
        Step("listxattr size") { _ in Answer.count(Name.with(path) { listxattr($0, nil, 0) }) }
    }

    static func removeAttribute(_ path: String, _ name: String) -> Step {
        Step("removexattr") { _ in Answer.of(Name.with(path) { removexattr($0, name) }) }
    }

    static func removeDescriptorAttribute(_ key: String, _ name: String) -> Step {
        Step("fremovexattr") { Answer.of(fremovexattr($0.descriptor(key), name)) }
    }

    /// An access ACL that lets user 1000 do all, in the kernel's own form (version 2).
    static func setAccessList(_ path: String, _ name: String = "system.posix_acl_access") -> Step {
        Step("set acl") { _ in
            let undefined: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
            let value: [UInt8] =
                [2, 0, 0, 0] + [1, 0, 6, 0] + undefined + [2, 0, 7, 0, 0xE8, 3, 0, 0] + [4, 0, 4, 0]
                + undefined
                + [0x10, 0, 7, 0] + undefined + [0x20, 0, 0, 0] + undefined
            return Answer.of(Name.with(path) { setxattr($0, name, value, value.count, 0) })
        }
    }

    /// The capability that lets a file's program bind low ports, in the kernel's own form (revision 2).
    static func setCapability(_ path: String) -> Step {
        Step("set capability") { _ in
            let value: [UInt8] = [1, 0, 0, 2, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 12)
            return Answer.of(Name.with(path) { setxattr($0, "security.capability", value, value.count, 0) })
        }
    }
}
