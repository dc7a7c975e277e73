/// Executables with just enough in them to carry a code signature.
enum MachO {
    /// A thin file whose signature holds `entitlements`.
    static func signed(_ entitlements: [UInt8], is64: Bool = true, isBigEndian: Bool = false) -> [UInt8] {
        let signature = superBlob(entitlements)
        let header = is64 ? 32 : 28
        // A command before the signature's, so that the walk has a step to take.
        let commands = words([0x1B, 24, 1, 2, 3, 4], isBigEndian)
        let offset = header + commands.count + 16
        let command = words([0x1D, 16, offset, signature.count], isBigEndian)
        let magic = is64 ? 0xFEED_FACF : 0xFEED_FACE
        var head = words([magic, 0x0100_000C, 0, 2, 2, commands.count + command.count, 0], isBigEndian)
        if is64 { head += [0, 0, 0, 0] }
        return head + commands + command + signature
    }

    /// A universal file of `slices`.
    static func fat(_ slices: [[UInt8]], is64: Bool = false) -> [UInt8] {
        let entryBytes = is64 ? 32 : 20
        var offset = 8 + slices.count * entryBytes
        var table = words([is64 ? 0xCAFE_BABF : 0xCAFE_BABE, slices.count], true)
        for slice in slices {
            let place = is64 ? [0, offset, 0, slice.count, 14, 0] : [offset, slice.count, 14]
            table += words([0x0100_000C, 0] + place, true)
            offset += slice.count
        }
        return table + slices.flatMap { $0 }
    }

    /// A signature with a code directory, and `entitlements` in its slot.
    static func superBlob(_ entitlements: [UInt8]) -> [UInt8] {
        let directory = words([0xFADE_0C02, 8], true)
        let blob = words([0xFADE_7171, 8 + entitlements.count], true) + entitlements
        let index = words([0, 28, 5, 36], true)
        let length = 12 + index.count + directory.count + blob.count
        return words([0xFADE_0CC0, length, 2], true) + index + directory + blob
    }

    static func words(_ values: [Int], _ isBigEndian: Bool) -> [UInt8] {
        values.flatMap { value -> [UInt8] in
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
            return isBigEndian ? bytes : bytes.reversed()
        }
    }
}

enum Profile {
    /// Something like a signed message around a property list.
    static func bytes(groups: [String]) throws -> [UInt8] {
        let list = try plistBytes([
            "Name": "Profile", "Entitlements": ["com.apple.security.application-groups": groups],
        ])
        return [0x30, 0x82, 0x10, 0x00, 0x06, 0x09] + list + [0xA0, 0x82, 0x00, 0x01, 0xFF]
    }
}
