/// Equal, with equal hashes, for two names that are one item under the policy which made the keys. Keys of
/// different policies are not comparable.
///
/// A key under `simulator` is also where names meet that differ only by case (the near misses of `device`).
public struct NameKey: Hashable, Sendable {
    private enum Spelling: Hashable {
        /// Compared by canonical equivalence, which is what `String` does.
        case text(String)
        /// Compared byte by byte: what is not text, and every name under `legacy`.
        case bytes([UInt8])
    }

    private let spelling: Spelling

    fileprivate init(text: String) {
        spelling = .text(text)
    }

    fileprivate init(bytes: UnsafeRawBufferPointer) {
        spelling = .bytes(Array(bytes))
    }
}

extension NamePolicy {
    /// The key of a name. Allocates for names over 15 bytes: ask `hasOtherSpellings` first.
    public func key(_ name: UnsafeRawBufferPointer) -> NameKey {
        guard self != .legacy, let text = String(validating: name, as: UTF8.self) else {
            return NameKey(bytes: name)
        }
        return NameKey(text: self == .simulator ? text.caseFolded : text)
    }

    /// Whether two names are one item. Allocates where they differ.
    public func isSame(_ name: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        if name.elementsEqual(other) { return true }
        return hasOtherSpellings(name) && key(name) == key(other)
    }

    /// Whether two names are one in the Simulator and two on a device.
    public static func differOnlyByCase(
        _ name: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        !device.isSame(name, other) && simulator.isSame(name, other)
    }

    /// The key of a name that is text already.
    public func key(_ name: String) -> NameKey {
        var name = name
        return name.withUTF8 { key(UnsafeRawBufferPointer($0)) }
    }
}

extension NamePolicy {
    /// A hash that names have in common which differ only by case or Unicode spelling; others have it in
    /// common by chance. Another one in each process: no names can be made for it. Allocates nothing for
    /// ASCII.
    public static func foldedHash(_ name: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        if name.isASCII {
            // What String feeds to the hasher, for text that needs no normalisation.
            withUnsafeTemporaryAllocation(byteCount: name.count, alignment: 1) { folded in
                for index in 0..<name.count { folded[index] = name[index].lowercasedASCII }
                hasher.combine(bytes: UnsafeRawBufferPointer(folded))
            }
            hasher.combine(UInt8.max)
        } else if let text = String(validating: name, as: UTF8.self) {
            text.caseFolded.hash(into: &hasher)
        } else {
            hasher.combine(bytes: name)
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// As `foldedHash`, of the bytes alone.
    public static func exactHash(_ name: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension String {
    /// Full case folding, so that `STRASSE`, `Straße` and `straẞe` meet.
    ///
    /// The standard library maps case but does not fold it; lower, upper, lower again gives the folding for
    /// every scalar but the dotless ı, which folds to itself and not to i.
    fileprivate var caseFolded: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        return unicodeScalars.split(separator: "\u{131}", omittingEmptySubsequences: false)
            .map { String($0).lowercased().uppercased().lowercased() }
            .joined(separator: "\u{131}")
    }
}
