/// How a home treats the names of its items; chosen for each mount.
public enum NamePolicy: UInt8, Sendable, CaseIterable {
    /// As on an iPhone (APFS since iOS 11): case-sensitive, normalisation-insensitive and preserving.
    case device
    /// As in the Simulator on a Mac's usual volume: case-insensitive and preserving as well.
    case simulator
    /// Bytes as they are.
    case legacy
}

/// Why a name is refused.
public enum NameProblem: Sendable {
    /// Not well-formed UTF-8: EILSEQ.
    case notUTF8
    /// Longer than `NamePolicy.longestNameUTF16Units`: ENAMETOOLONG.
    case tooLong
}

extension NameProblem: CustomStringConvertible {
    /// The rule, in one line.
    public var description: String {
        switch self {
        case .notUTF8: "a name is UTF-8; this one has other bytes in it"
        case .tooLong: "a name has at most \(NamePolicy.longestNameUTF16Units) UTF-16 units"
        }
    }
}

extension NamePolicy {
    /// The longest name that HFS+ and APFS take, in UTF-16 units.
    public static let longestNameUTF16Units = 255

    /// What is wrong with a name, or nil. `legacy` finds no fault; the backing file system may. Never
    /// allocates.
    public func problem(with name: UnsafeRawBufferPointer) -> NameProblem? {
        if self == .legacy { return nil }
        guard let units = name.utf16UnitCount else { return .notUTF8 }
        return units > Self.longestNameUTF16Units ? .tooLong : nil
    }

    /// Whether other bytes could name the same item: false where the name as it stands is the only spelling
    /// and the backing file system's own lookup answers for good. Never allocates.
    public func hasOtherSpellings(_ name: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .legacy: false
        case .device: !name.isASCII || name.contains { $0.isDecompositionTarget }
        case .simulator: !name.isASCII || name.contains { $0.isDecompositionTarget || $0.isASCIILetter }
        }
    }

    /// Whether the kernel may remember that this name is that item.
    ///
    /// Two spellings are two names to the kernel: what it remembers of one goes stale when the item goes by
    /// the other. Names of pure ASCII are the common case and have at most three rare spellings: such a name
    /// is remembered where the item is stored under it, and no other is. Nor is either name of an item whose
    /// name is too long for a disk. Never allocates.
    public func kernelMayCache(_ name: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .legacy: !LongName.isOfTwo(name)
        case .simulator: false
        case .device: name.isASCII && !LongName.isOfTwo(name)
        }
    }

    /// Whether the kernel may remember that nothing has this name. Never allocates.
    public func kernelMayCacheAbsence(_ name: UnsafeRawBufferPointer) -> Bool {
        self != .simulator && !hasOtherSpellings(name) && !LongName.isOfTwo(name)
    }
}

extension UInt8 {
    /// `K`, `;` and the backtick: U+212A, U+037E and U+1FEF decompose canonically to them, and nothing else
    /// outside ASCII decomposes to ASCII alone.
    fileprivate var isDecompositionTarget: Bool { self == 0x4b || self == 0x3b || self == 0x60 }
}
