package import CloudStore
package import SandboxRules
package import SyncLog

/// The keys of an account's objects. Numbers have 20 digits, so that a LIST has them in order; everything
/// else is hex, so that no name of a person or an app is in a key.
package struct StoreLayout: Sendable {
    private let nameKey: NameKey

    package init(nameKey: NameKey) {
        self.nameKey = nameKey
    }

    package static let readme = ObjectKey(wellFormed: "v1/readme.txt")
    package static let format = ObjectKey(wellFormed: "v1/format")

    /// Devices that install an app at once mean one log: its name follows from the app's identifier.
    package func container(_ bundle: BundleIdentifier) -> ContainerName {
        ContainerName(bits: nameKey.name(of: Array("container:\(bundle.value)".utf8)))
    }

    /// The same for a key-value store, by its own identifier.
    package func keyValueStore(_ identifier: String) -> ContainerName {
        ContainerName(bits: nameKey.name(of: Array("key-values:\(identifier)".utf8)))
    }

    // MARK: A container's

    package static let containersPrefix = "v1/a/"
    /// The account's own log: its apps and devices.
    package static let accountLogPrefix = "v1/apps/log/"

    package func logPrefix(_ log: LogName) -> String {
        switch log {
        case .account: Self.accountLogPrefix
        case .container(let name): "v1/a/\(name.hex)/log/"
        case .keyValues(let name): "v1/k/\(name.hex)/log/"
        }
    }

    package func logEntry(_ log: LogName, _ sequence: UInt64) -> ObjectKey {
        ObjectKey(wellFormed: logPrefix(log) + Self.digits(sequence))
    }

    package func snapshotPrefix(_ log: LogName) -> String { base(log) + "snap/" }

    /// `hash` is of the canonical tree: two makers of one snapshot mean one key.
    package func snapshot(_ log: LogName, _ sequence: UInt64, _ hash: ContentHash) -> ObjectKey {
        ObjectKey(wellFormed: snapshotPrefix(log) + Self.digits(sequence) + "." + hash.hex)
    }

    package func floorPrefix(_ log: LogName) -> String { base(log) + "floor/" }

    package func floor(_ log: LogName, _ sequence: UInt64) -> ObjectKey {
        ObjectKey(wellFormed: floorPrefix(log) + Self.digits(sequence))
    }

    package func devicePrefix(_ container: ContainerName) -> String { "v1/a/\(container.hex)/dev/" }

    /// Cursor, version and name of a device, written by it alone.
    package func device(_ container: ContainerName, _ device: DeviceID) -> ObjectKey {
        ObjectKey(wellFormed: devicePrefix(container) + device.hex)
    }

    // MARK: The account's

    package static let hintPrefix = "v1/hint/"
    package static let chunkPrefix = "v1/c/"
    package static let packPrefix = "v1/p/"
    package static let collectionPrefix = "v1/gc/"
    package static let backupPrefix = "v1/b/"
    package static let keyValuesPrefix = "v1/k/"

    package func hint(_ device: DeviceID) -> ObjectKey {
        ObjectKey(wellFormed: Self.hintPrefix + device.hex)
    }

    package func collection(_ number: UInt64, _ suffix: String = "") -> ObjectKey {
        ObjectKey(wellFormed: Self.collectionPrefix + Self.digits(number) + suffix)
    }

    /// The object that has a chunk's bytes, whole or among others.
    package func object(of hash: ContentHash, at locator: Locator) -> ObjectKey {
        object(name(of: hash, at: locator))
    }

    package func object(_ name: StoredName) -> ObjectKey {
        switch name {
        case .chunk(let opaque, let random):
            let hex = opaque.value.hexDigits
            return ObjectKey(wellFormed: "\(Self.chunkPrefix)\(hex.prefix(2))/\(hex).\(random.hexDigits)")
        case .pack(let id):
            let hex = id.value.hexDigits
            return ObjectKey(wellFormed: "\(Self.packPrefix)\(hex.prefix(2))/\(hex)")
        }
    }

    package func name(of hash: ContentHash, at locator: Locator) -> StoredName {
        switch locator {
        case .object(let random): .chunk(Bits128(nameKey.name(of: hash.bytes)), random)
        case .pack(let id, _): .pack(id)
        }
    }

    // MARK: Read back

    /// The number that a key of a log, a floor or a snapshot ends with.
    /// - Returns: nil where it has none, as keys of somebody else's have.
    package static func sequence(of key: ObjectKey, in prefix: String) -> UInt64? {
        guard key.text.hasPrefix(prefix) else { return nil }
        let digits = key.text.utf8.dropFirst(prefix.utf8.count).prefix(20)
        guard digits.count == 20, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    private func base(_ log: LogName) -> String {
        String(logPrefix(log).dropLast("log/".count))
    }

    static func digits(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }
}

/// A container as the store names it: 128 bits of HMAC(name key, bundle identifier).
package struct ContainerName: Hashable, Comparable, Sendable {
    private let halves: Bits128
    package var bits: UInt128 { halves.value }

    package init(bits: UInt128) {
        halves = Bits128(bits)
    }

    package var hex: String { bits.hexDigits }
    package static func < (left: ContainerName, right: ContainerName) -> Bool { left.bits < right.bits }
}

/// One of an account's logs.
package enum LogName: Hashable, Sendable {
    /// Apps and devices.
    case account
    case container(ContainerName)
    case keyValues(ContainerName)

    package var zone: LogZone {
        switch self {
        case .account, .container: .files
        case .keyValues: .keyValues
        }
    }
}

/// An object of `c/` or `p/`, parsed: what the collector's sets are made of.
package enum StoredName: Hashable, Sendable {
    /// HMAC(name key, SHA-256), cut to 128 bits, and the random part.
    case chunk(Bits128, UInt64)
    case pack(Bits128)
}
