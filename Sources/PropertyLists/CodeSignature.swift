/// The entitlements in a Mach-O executable's code signature.
///
/// Layouts from Apple's open `mach-o/loader.h`, `mach-o/fat.h` and `cs_blobs.h`. Nothing here is verified:
/// the signature is only read. Every offset comes from a file that is not trusted, so each read is checked
/// against the file's size, and nothing larger than the limits is asked for.
public enum CodeSignature {
    /// Reads `count` bytes at `offset`: all of them, or fewer at the end of the file.
    public typealias Read<Failure: Error> = (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]

    /// The entitlements property list of the first architecture that has one.
    ///
    /// - Returns: nil where the file is no Mach-O, is not signed, has no entitlements, or is damaged.
    /// - Throws: what `read` throws.
    public static func entitlements<Failure: Error>(
        sizeBytes: UInt64, read: Read<Failure>
    ) throws(Failure) -> [UInt8]? {
        guard let slices = try architectures(sizeBytes, read) else {
            return try entitlements(ofSlice: 0..<sizeBytes, read)
        }
        for range in slices {
            if let found = try entitlements(ofSlice: range, read) { return found }
        }
        return nil
    }

    private static let architectureLimit = 64
    private static let commandsLimitBytes = 4 << 20
    private static let blobLimit = 1024

    /// The ranges of a universal file's architectures; nil where it is not a universal file.
    private static func architectures<Failure: Error>(
        _ fileBytes: UInt64, _ read: Read<Failure>
    ) throws(Failure) -> [Range<UInt64>]? {
        let head = try read(0, 8)
        guard let magic = BigEndian.word(head, 0), magic == 0xCAFE_BABE || magic == 0xCAFE_BABF else {
            return nil
        }
        let isWide = magic == 0xCAFE_BABF
        guard let count = BigEndian.word(head, 4), count <= architectureLimit else { return [] }
        let entryBytes = isWide ? 32 : 20
        let table = try read(8, Int(count) * entryBytes)
        return (0..<Int(count)).compactMap { index in
            let entry = index * entryBytes
            let offset = isWide ? BigEndian.long(table, entry + 8) : BigEndian.word(table, entry + 8)
            let size = isWide ? BigEndian.long(table, entry + 16) : BigEndian.word(table, entry + 12)
            guard let offset, let size, size > 0, offset < fileBytes,
                size <= fileBytes - offset
            else { return nil }
            return offset..<offset + size
        }
    }

    /// Finds LC_CODE_SIGNATURE among the load commands of the Mach-O in `range`.
    private static func entitlements<Failure: Error>(
        ofSlice range: Range<UInt64>, _ read: Read<Failure>
    ) throws(Failure) -> [UInt8]? {
        guard range.count >= 32 else { return nil }
        let header = try read(range.lowerBound, 32)
        guard let layout = MachLayout(header), layout.commandBytes <= commandsLimitBytes else { return nil }
        let start = range.lowerBound + UInt64(layout.headerBytes)
        guard UInt64(layout.commandBytes) <= range.upperBound - start else { return nil }
        let commands = try read(start, layout.commandBytes)
        guard let signature = layout.signature(in: commands) else { return nil }
        let size = UInt64(range.count)
        guard signature.offset < size, signature.size <= size - signature.offset else { return nil }
        let from = range.lowerBound + signature.offset
        return try entitlements(ofSignature: from..<from + signature.size, read)
    }

    /// Looks the entitlements slot up in the signature's index of blobs.
    private static func entitlements<Failure: Error>(
        ofSignature range: Range<UInt64>, _ read: Read<Failure>
    ) throws(Failure) -> [UInt8]? {
        let entitlementsSlot: UInt64 = 5
        let head = try read(range.lowerBound, min(12, range.count))
        guard BigEndian.word(head, 0) == 0xFADE_0CC0, let count = BigEndian.word(head, 8), count <= blobLimit
        else {
            return nil
        }
        let index = try read(range.lowerBound + 12, min(Int(count) * 8, range.count - 12))
        for entry in 0..<Int(count) {
            guard let slot = BigEndian.word(index, entry * 8),
                let offset = BigEndian.word(index, entry * 8 + 4)
            else { return nil }
            guard slot == entitlementsSlot else { continue }
            guard offset < UInt64(range.count) else { return nil }
            return try blob(range.lowerBound + offset..<range.upperBound, read)
        }
        return nil
    }

    /// The content of the entitlements blob at the start of `range`.
    private static func blob<Failure: Error>(
        _ range: Range<UInt64>, _ read: Read<Failure>
    ) throws(Failure) -> [UInt8]? {
        let head = try read(range.lowerBound, min(8, range.count))
        guard BigEndian.word(head, 0) == 0xFADE_7171, let length = BigEndian.word(head, 4) else { return nil }
        guard length > 8, length <= UInt64(range.count), length <= UInt64(PropertyList.sizeLimitBytes) else {
            return nil
        }
        let content = try read(range.lowerBound + 8, Int(length) - 8)
        return content.count == Int(length) - 8 ? content : nil
    }
}

/// What a Mach-O header says of the load commands that follow it.
private struct MachLayout {
    let headerBytes: Int
    let commandCount: UInt64
    let commandBytes: Int
    let isBigEndian: Bool

    init?(_ header: [UInt8]) {
        switch BigEndian.word(header, 0) {
        case 0xFEED_FACE: (headerBytes, isBigEndian) = (28, true)
        case 0xFEED_FACF: (headerBytes, isBigEndian) = (32, true)
        case 0xCEFA_EDFE: (headerBytes, isBigEndian) = (28, false)
        case 0xCFFA_EDFE: (headerBytes, isBigEndian) = (32, false)
        default: return nil
        }
        guard let count = Self.word(header, 16, isBigEndian), let bytes = Self.word(header, 20, isBigEndian)
        else {
            return nil
        }
        commandCount = count
        commandBytes = Int(bytes)
    }

    /// The place of the code signature in the file, from LC_CODE_SIGNATURE.
    func signature(in commands: [UInt8]) -> (offset: UInt64, size: UInt64)? {
        let codeSignatureCommand: UInt64 = 0x1D
        var place = 0
        for _ in 0..<commandCount {
            guard let kind = Self.word(commands, place, isBigEndian),
                let size = Self.word(commands, place + 4, isBigEndian), size >= 8
            else { return nil }
            if kind == codeSignatureCommand {
                guard let offset = Self.word(commands, place + 8, isBigEndian),
                    let length = Self.word(commands, place + 12, isBigEndian)
                else { return nil }
                return (offset, length)
            }
            place += Int(size)
        }
        return nil
    }

    private static func word(_ bytes: [UInt8], _ offset: Int, _ isBigEndian: Bool) -> UInt64? {
        guard let word = BigEndian.word(bytes, offset) else { return nil }
        return isBigEndian ? word : UInt64(UInt32(truncatingIfNeeded: word).byteSwapped)
    }
}

/// Unsigned big-endian integers out of bytes; nil past their end.
private enum BigEndian {
    static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64? { integer(bytes, offset, 4) }
    static func long(_ bytes: [UInt8], _ offset: Int) -> UInt64? { integer(bytes, offset, 8) }

    private static func integer(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64? {
        guard offset >= 0, bytes.count >= size, offset <= bytes.count - size else { return nil }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
