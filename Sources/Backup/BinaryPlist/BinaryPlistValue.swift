/// A value of a binary property list, with the UIDs that archives are tied together by.
///
/// Our own and not Foundation's, which has no type for a UID (it reads one as a number and cannot write one),
/// and is too slow for a backup's million records.
enum BinaryPlistValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since the first second of 2001, in UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    case uid(UInt32)
    case array([BinaryPlistValue])
    case dictionary([BinaryPlistMember])
}

/// A key and its value. Members keep their order, so that what is written is the same each time.
struct BinaryPlistMember: Equatable, Sendable {
    let key: String
    let value: BinaryPlistValue

    init(_ key: String, _ value: BinaryPlistValue) {
        self.key = key
        self.value = value
    }
}

/// Why bytes were not accepted; `reason` completes a sentence such as "a property list in it is …".
struct BinaryPlistError: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let damaged = BinaryPlistError("damaged")
    static let tooLarge = BinaryPlistError("larger or deeper than any that a device writes")
}

extension BinaryPlistValue {
    /// The value at `key`; nil where this is no dictionary or lacks the key. Of two alike the first counts.
    subscript(_ key: String) -> BinaryPlistValue? {
        guard case .dictionary(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    var text: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var bytes: [UInt8]? {
        if case .data(let value) = self { value } else { nil }
    }

    var uid: UInt32? {
        if case .uid(let value) = self { value } else { nil }
    }
}
