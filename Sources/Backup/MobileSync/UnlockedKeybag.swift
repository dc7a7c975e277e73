internal import Crypto
internal import CryptoExtras

/// The opened keys of an encrypted backup.
struct UnlockedKeybag: Sendable {
    private let keys: [UInt32: SymmetricKey]
    /// A key is kept with its class before it: four bytes, little endian.
    private static let classBytes = 4

    init(_ keys: [UInt32: SymmetricKey]) { self.keys = keys }

    /// Opens the key of a file, or of Manifest.db.
    /// - Parameter wrapped: the class, then the wrapped key.
    func open(_ wrapped: [UInt8]) throws(BackupError) -> SymmetricKey {
        guard wrapped.count == Self.classBytes + Keybag.wrappedBytes else {
            throw .damaged("a key has the wrong length")
        }
        let number = wrapped.prefix(Self.classBytes).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let key = keys[number] else { throw .damaged("no key of class \(number) is in the keybag") }
        do {
            return try AES.KeyWrap.unwrap(Array(wrapped.dropFirst(Self.classBytes)), using: key)
        } catch {
            throw .damaged("a key does not fit the keybag")
        }
    }

    /// A new key for one file.
    /// - Returns: the key, and what its record keeps of it.
    func makeKey(protectionClass: UInt32) throws(BackupError) -> (key: SymmetricKey, wrapped: [UInt8]) {
        guard let classKey = keys[protectionClass] else {
            throw .damaged("no key of class \(protectionClass) is in the keybag")
        }
        let key = SymmetricKey(size: .bits256)
        let number = (0..<Self.classBytes).map {
            UInt8(truncatingIfNeeded: protectionClass >> UInt32(8 * $0))
        }
        return (key, number + (try Self.wrap(key, by: classKey)))
    }

    static func wrap(_ key: SymmetricKey, by other: SymmetricKey) throws(BackupError) -> [UInt8] {
        do {
            return Array(try AES.KeyWrap.wrap(key, using: other))
        } catch {
            throw BackupError(.system, "cannot wrap a key: \(error)")
        }
    }
}

/// From a password to the key that wraps the classes' keys.
enum KeyDerivation {
    private static let keyBytes = 32

    static func key(
        from password: [UInt8], _ derivation: Keybag.Derivation
    ) throws(BackupError) -> SymmetricKey {
        guard !password.isEmpty else {
            throw BackupError(.wrongPassword, "an empty password opens no backup")
        }
        do {
            var secret = password
            if let salt = derivation.doubleSalt {
                secret = try derive(secret, salt, .sha256, derivation.doubleIterations)
                    .withUnsafeBytes { Array($0) }
            }
            return try derive(secret, derivation.salt, .insecureSHA1, derivation.iterations)
        } catch {
            throw BackupError(.system, "cannot derive a key from the password: \(error)")
        }
    }

    private static func derive(
        _ secret: [UInt8], _ salt: [UInt8], _ hash: KDF.Insecure.PBKDF2.HashFunction, _ rounds: Int
    ) throws -> SymmetricKey {
        // Unchecked: old backups have fewer rounds than the library finds safe, and must be read.
        try KDF.Insecure.PBKDF2.deriveKey(
            from: secret, salt: salt, using: hash, outputByteCount: keyBytes, unsafeUncheckedRounds: rounds)
    }
}
