internal import Glibc

/// Finds the names of containers in bytes: UUIDs that are known to be one, and others in a path as iOS makes
/// it.
///
/// What every such UUID has, in each encoding, are four dashes at the same distance: they are looked for, and
/// only what surrounds them is read.
public struct ContainerSearch: Sendable {
    struct Match: Equatable {
        let id: ContainerID
        /// Of its first character in the bytes.
        let offset: Int
        let encoding: TextEncoding
    }

    private let known: Set<ContainerID>

    public init(known: Set<ContainerID>) { self.known = known }

    /// Whoever searches a file block by block shows so many bytes of a block again before the next one: a
    /// UUID in UTF-16 with the path before it, each slash escaped, is shorter.
    static let overlapBytes = 256

    private static let dash = UInt8(ascii: "-")
    /// How far a UUID's dashes are from each other, in characters.
    private static let step = 5

    /// Tells each match that does not end in the first `seen` bytes, in the order of their ends.
    /// - Parameter found: says whether to go on.
    func run(over bytes: UnsafeRawBufferPointer, seen: Int = 0, _ found: (Match) -> Bool) {
        var position = 0
        while let dash = Self.nextDash(bytes, from: position) {
            position = dash + 1
            for encoding in Self.encodings(bytes, dash) {
                let unit = encoding.unitBytes
                let first = encoding == .utf16BigEndian ? dash - 1 : dash
                let start = first - ContainerID.dashes[0] * unit
                guard let id = ContainerID(bytes, at: start, encoding) else { continue }
                if start + ContainerID.characters * unit > seen,
                    known.contains(id) || Self.isInContainerPath(bytes, start, encoding)
                {
                    guard found(Match(id: id, offset: start, encoding: encoding)) else { return }
                }
                // Between zeros a text is one in both byte orders.
                break
            }
        }
    }

    /// Whether the bytes hold what could be a piece of a UUID: two dashes with four digits between. Where a
    /// database cuts a text at the end of a page, one such piece of it is left whole.
    static func hasPiece(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while let dash = nextDash(bytes, from: position) {
            position = dash + 1
            for unit in 1...2 where dash + step * unit < bytes.count && bytes[dash + step * unit] == Self.dash
            {
                let digits = 1..<step
                if digits.allSatisfy({ ContainerID.digit(bytes[dash + $0 * unit]) != nil }) { return true }
            }
        }
        return false
    }

    private static func nextDash(_ bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
        guard let base = bytes.baseAddress, position < bytes.count,
            let found = memchr(base + position, Int32(dash), bytes.count - position)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// In which encodings the dash may be a UUID's first one.
    private static func encodings(_ bytes: UnsafeRawBufferPointer, _ first: Int) -> [TextEncoding] {
        func areDashes(_ unit: Int) -> Bool {
            first + 3 * step * unit < bytes.count
                && (1...3).allSatisfy { bytes[first + $0 * step * unit] == dash }
        }
        // Mostly neither; and an array without elements costs nothing.
        let isNarrow = areDashes(1)
        guard areDashes(2) else { return isNarrow ? [.utf8] : [] }
        return isNarrow ? TextEncoding.allCases : [.utf16BigEndian, .utf16LittleEndian]
    }

    /// What stands before the UUID in the paths that iOS makes, and made before iOS 8.
    private static let forms: [[UInt8]] = [
        "/Containers/Data/Application/", "/Containers/Bundle/Application/", "/Containers/Shared/AppGroup/",
        "/Containers/Data/PluginKitPlugin/", "/var/mobile/Applications/",
    ].map { Array($0.utf8) }

    private static func isInContainerPath(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ encoding: TextEncoding
    ) -> Bool {
        forms.contains { ends($0, bytes, start, encoding) }
    }

    /// Whether `form` ends at `start`. JSON may put a backslash before each slash.
    private static func ends(
        _ form: [UInt8], _ bytes: UnsafeRawBufferPointer, _ start: Int, _ encoding: TextEncoding
    ) -> Bool {
        let unit = encoding.unitBytes
        var position = start
        func previous() -> UInt8? {
            position >= unit ? encoding.character(bytes, position - unit) : nil
        }
        for character in form.reversed() {
            guard previous() == character else { return false }
            position -= unit
            if character == UInt8(ascii: "/"), previous() == UInt8(ascii: "\\") { position -= unit }
        }
        return true
    }
}
