internal import Crypto

extension Keybag {
    /// The protection classes that a device's backup has keys for.
    private static let classes: [UInt32] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    private static let saltBytes = 20
    private static let version: UInt32 = 5
    /// In `TYPE`: of a backup.
    private static let backupType: UInt32 = 1
    /// The second round's iterations, as on a device: the first round is the one that is meant to cost.
    private static let laterIterations: UInt32 = 10_000

    /// A new bag with a key for each class.
    ///
    /// - Parameter iterations: of the first round; the cost of trying a password.
    /// - Returns: the bag's bytes, and the bag opened.
    static func create(
        password: [UInt8], iterations: UInt32, laterIterations: UInt32 = Self.laterIterations
    ) throws(BackupError) -> (bytes: [UInt8], unlocked: UnlockedKeybag) {
        let derivation = Derivation(
            salt: random(saltBytes), iterations: Int(laterIterations), doubleSalt: random(saltBytes),
            doubleIterations: Int(iterations))
        let key = try KeyDerivation.key(from: password, derivation)
        var bytes: [UInt8] = []
        bytes.append(tag: "VERS", version)
        bytes.append(tag: "TYPE", backupType)
        bytes.append(tag: "UUID", random(16))
        bytes.append(tag: "HMCK", random(wrappedBytes))
        bytes.append(tag: "WRAP", 1)
        bytes.append(tag: "SALT", derivation.salt)
        bytes.append(tag: "ITER", laterIterations)
        bytes.append(tag: "DPWT", 1)
        bytes.append(tag: "DPIC", iterations)
        bytes.append(tag: "DPSL", derivation.doubleSalt ?? [])
        var keys: [UInt32: SymmetricKey] = [:]
        for number in classes {
            let classKey = SymmetricKey(size: .bits256)
            bytes.append(tag: "UUID", random(16))
            bytes.append(tag: "CLAS", number)
            bytes.append(tag: "WRAP", wrappedByPassword)
            bytes.append(tag: "KTYP", 0)
            bytes.append(tag: "WPKY", try UnlockedKeybag.wrap(classKey, by: key))
            keys[number] = classKey
        }
        return (bytes, UnlockedKeybag(keys))
    }

    /// A bag with the same keys, for another password; all else of it stays.
    ///
    /// - Throws: `wrongPassword`; `damaged`.
    static func rewrapped(
        _ bytes: [UInt8], from old: [UInt8], to new: [UInt8]
    ) throws(BackupError) -> [UInt8] {
        let bag = try Keybag(bytes)
        let oldKey = try KeyDerivation.key(from: old, bag.derivation)
        var derivation = bag.derivation
        derivation.salt = random(saltBytes)
        if derivation.doubleSalt != nil { derivation.doubleSalt = random(saltBytes) }
        let newKey = try KeyDerivation.key(from: new, derivation)
        var rewrapped: [UInt8] = []
        var values = TaggedValues(bytes)
        var identifiers = 0
        while let (tag, value) = try values.next() {
            // Each class begins with its UUID; the first one is the bag's.
            if tag == "UUID" { identifiers += 1 }
            let classKey = identifiers < 2 ? nil : bag.classKeys[identifiers - 2]
            var value = value
            switch (tag, classKey) {
            case ("SALT", nil): value = derivation.salt
            case ("DPSL", nil): value = derivation.doubleSalt ?? value
            case ("WPKY", let classKey?) where classKey.isOpenedByPassword:
                value = try UnlockedKeybag.wrap(try classKey.open(oldKey), by: newKey)
            default: break
            }
            rewrapped.append(tag: tag, value)
        }
        return rewrapped
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(tag: String, _ value: [UInt8]) {
        self += tag.utf8
        appendBigEndian(UInt32(truncatingIfNeeded: value.count))
        self += value
    }

    fileprivate mutating func append(tag: String, _ number: UInt32) {
        self += tag.utf8
        appendBigEndian(4)
        appendBigEndian(number)
    }

    private mutating func appendBigEndian(_ number: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
