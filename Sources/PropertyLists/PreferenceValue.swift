internal import Foundation

/// A value of an app's preferences, as a person gives and reads it.
public indirect enum PreferenceValue: Codable, Equatable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 1970, UTC.
    case date(Double)
    case data([UInt8])
    case array([PreferenceValue])
    case dictionary([String: PreferenceValue])
    /// Something that can only be looked at: an archive's UID, a number past 2^63, infinity.
    case other(String)
}

extension PreferenceValue {
    /// Levels of containers that are shown: deeper no app writes, and what answers a person nests as deep.
    static let depthLimit = 64

    /// A whole property list, XML or binary.
    /// - Throws: where it is none, or beyond the bounds of `PropertyList`.
    public init(propertyList bytes: [UInt8]) throws(PropertyListError) {
        self = try PreferenceValue(try PropertyList.any(bytes))
    }

    /// - Parameter value: as Foundation reads property lists.
    /// - Throws: where it is nested too deep.
    init(_ value: Any, depth: Int = 0) throws(PropertyListError) {
        guard depth <= Self.depthLimit else { throw PropertyListError("nested too deep to be shown") }
        // By its type: as a value, the numbers 0 and 1 are booleans too.
        if type(of: value) == Bool.self {
            self = .boolean(value as? Bool ?? false)
            return
        }
        switch value {
        case let value as String: self = .string(value)
        case let value as Date:
            let seconds = value.timeIntervalSince1970
            self = seconds.isFinite ? .date(seconds) : .other("\(seconds)")
        case let value as Data: self = .data(Array(value))
        case let value as [Any]:
            var elements: [PreferenceValue] = []
            for element in value { elements.append(try PreferenceValue(element, depth: depth + 1)) }
            self = .array(elements)
        case let value as [String: Any]:
            var members: [String: PreferenceValue] = [:]
            for (key, member) in value { members[key] = try PreferenceValue(member, depth: depth + 1) }
            self = .dictionary(members)
        case let value as NSNumber: self = Self(number: value)
        default: self = .other("\(value)".prefix(200).description)
        }
    }

    private init(number: NSNumber) {
        // "d" and "f" are how Foundation names its floating point types.
        if ["d", "f"].contains(String(cString: number.objCType)) {
            let value = number.doubleValue
            self = value.isFinite ? .real(value) : .other("\(value)")
        } else if let value = Int64(exactly: number) {
            self = .integer(value)
        } else {
            self = .other("\(number)")
        }
    }

    /// As Foundation writes property lists; nil for what can only be looked at.
    var propertyListValue: Any? {
        switch self {
        case .string(let value): value
        case .boolean(let value): value
        case .integer(let value): value
        case .real(let value): value
        case .date(let seconds): Date(timeIntervalSince1970: seconds)
        case .data(let value): Data(value)
        case .array(let elements): elements.compactMap(\.propertyListValue)
        case .dictionary(let members): members.compactMapValues(\.propertyListValue)
        case .other: nil
        }
    }
}
