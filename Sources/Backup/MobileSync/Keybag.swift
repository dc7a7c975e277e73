internal import Crypto

/// The keys of an encrypted backup, one for each protection class, wrapped by what the password gives.
///
/// A list of values with a tag of four letters and a length of four bytes, big endian: first those of the
/// whole bag, then of each class, each class beginning with its UUID.
struct Keybag: Sendable {
    /// Values of the whole bag.
    struct Derivation: Equatable, Sendable {
        var salt: [UInt8]
        var iterations: Int
        /// Of the first of two rounds of derivation, which came with iOS 10.2; nil before.
        var doubleSalt: [UInt8]?
        var doubleIterations = 0
    }

    struct ClassKey: Equatable, Sendable {
        var protectionClass: UInt32 = 0
        var wrap: UInt32 = 0
        var wrapped: [UInt8] = []
    }

    let derivation: Derivation
    let classKeys: [ClassKey]

    /// A password of 50 million rounds takes a minute; a device asks for about 10 million.
    static let iterationLimit = 50_000_000
    static let sizeLimitBytes = 64 << 10
    private static let saltLimitBytes = 1024
    private static let classLimit = 64
    /// A key of 32 bytes and the 8 that tell whether it was unwrapped right (RFC 3394).
    static let wrappedBytes = 40
    /// In `wrap`: the password opens it.
    static let wrappedByPassword: UInt32 = 2

    /// - Throws: `damaged` where the list is cut off, or asks for more work than any device's.
    init(_ bytes: [UInt8]) throws(BackupError) {
        guard bytes.count <= Self.sizeLimitBytes else { throw Self.damaged("is too large") }
        var values = TaggedValues(bytes)
        var bag: [String: [UInt8]] = [:]
        var classes: [ClassKey] = []
        while let (tag, value) = try values.next() {
            // The first UUID is the bag's own.
            if tag == "UUID", bag["UUID"] != nil {
                guard classes.count < Self.classLimit else { throw Self.damaged("has too many classes") }
                classes.append(ClassKey())
            } else if classes.isEmpty {
                bag[tag] = value
            } else {
                try classes[classes.count - 1].take(tag, value)
            }
        }
        derivation = try Self.derivation(bag)
        classKeys = classes
    }

    static func damaged(_ why: String) -> BackupError { .damaged("the keybag \(why)") }

    private static func derivation(_ bag: [String: [UInt8]]) throws(BackupError) -> Derivation {
        guard let salt = bag["SALT"], let iterations = try bag["ITER"].map(number) else {
            throw damaged("lacks salt or iterations")
        }
        let doubleSalt = bag["DPSL"]
        let doubleIterations = try bag["DPIC"].map(number) ?? 0
        guard max(salt.count, doubleSalt?.count ?? 0) <= saltLimitBytes else {
            throw damaged("has a salt that is too long")
        }
        guard iterations > 0, doubleSalt == nil || doubleIterations > 0,
            iterations + doubleIterations <= iterationLimit
        else {
            throw damaged("asks for \(iterations + doubleIterations) iterations, 1 to 50 million are done")
        }
        return Derivation(
            salt: salt, iterations: iterations, doubleSalt: doubleSalt, doubleIterations: doubleIterations)
    }

    fileprivate static func number(_ value: [UInt8]) throws(BackupError) -> Int {
        guard value.count == 4 else { throw damaged("has a number that is none") }
        return value.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Opens the classes' keys.
    /// - Throws: `wrongPassword`; `damaged` where there is no key to open.
    func unlock(password: [UInt8]) throws(BackupError) -> UnlockedKeybag {
        let key = try KeyDerivation.key(from: password, derivation)
        var keys: [UInt32: SymmetricKey] = [:]
        for entry in classKeys where entry.isOpenedByPassword {
            keys[entry.protectionClass] = try entry.open(key)
        }
        guard !keys.isEmpty else { throw Self.damaged("holds no key that a password opens") }
        return UnlockedKeybag(keys)
    }
}

extension Keybag.ClassKey {
    var isOpenedByPassword: Bool {
        wrap & Keybag.wrappedByPassword != 0 && wrapped.count == Keybag.wrappedBytes
    }

    /// - Parameter key: what the password gives.
    func open(_ key: SymmetricKey) throws(BackupError) -> SymmetricKey {
        do { return try AES.KeyWrap.unwrap(wrapped, using: key) } catch {
            throw BackupError(.wrongPassword, "wrong password for this backup")
        }
    }

    fileprivate mutating func take(_ tag: String, _ value: [UInt8]) throws(BackupError) {
        switch tag {
        case "CLAS": protectionClass = UInt32(truncatingIfNeeded: try Keybag.number(value))
        case "WRAP": wrap = UInt32(truncatingIfNeeded: try Keybag.number(value))
        case "WPKY": wrapped = value
        default: break
        }
    }
}

/// The values of a keybag, one after the other.
struct TaggedValues {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// - Returns: nil at the end.
    mutating func next() throws(BackupError) -> (tag: String, value: [UInt8])? {
        if rest.isEmpty { return nil }
        guard rest.count >= 8 else { throw Keybag.damaged("is cut off") }
        let tag = String(decoding: rest.prefix(4), as: UTF8.self)
        let count = rest.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count - 8 else { throw Keybag.damaged("is cut off") }
        let value = Array(rest.dropFirst(8).prefix(count))
        rest = rest.dropFirst(8 + count)
        return (tag, value)
    }
}
