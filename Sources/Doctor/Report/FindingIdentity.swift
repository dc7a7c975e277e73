internal import Crypto
internal import Posix

/// What makes a finding the same one in another run: on another device, after an update, in another folder.
public struct FindingIdentity: Hashable, Sendable {
    /// The app's identifier.
    public let app: String
    /// Of a `FindingCode`; another text where a later version found it.
    public let code: String
    /// With `UUID` in the place of each UUID: containers have others after an update, and what an app calls
    /// by a random one is called by another one in the next run. nil: those of the code that were counted,
    /// and not listed.
    public let path: String?
    public let program: String?

    init(app: String, code: String, path: String?, program: String?) {
        self.app = app
        self.code = code
        self.path = path
        self.program = program
    }

    public init(_ finding: Finding, in app: String) {
        self.init(
            app: app, code: finding.code.rawValue, path: finding.path.withoutUUIDs, program: finding.program)
    }

    /// What SARIF calls a partial fingerprint, whose name is raised where it is computed in another way.
    public static let fingerprintName = "appHomeFinding/v1"

    /// 32 hexadecimal digits, the same for the same identity.
    public var fingerprint: String {
        // No part holds a NUL, so no two identities are the same text.
        let text = [app, code, path ?? "", program ?? ""].joined(separator: "\0")
        return Hex.text(Array(SHA256.hash(data: Array(text.utf8))).prefix(16))
    }
}

extension FindingIdentity: Comparable {
    public static func < (one: FindingIdentity, other: FindingIdentity) -> Bool {
        one.sortKey.lexicographicallyPrecedes(other.sortKey) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private var sortKey: [String] { [app, code, path ?? "", program ?? ""] }
}

extension String {
    /// With `UUID` for each text that is one.
    var withoutUUIDs: String {
        let bytes = Array(utf8)
        var (result, index): ([UInt8], Int) = ([], 0)
        while index < bytes.count {
            let next = bytes[index...].prefix(ContainerID.characters)
            if next.count == ContainerID.characters, Self.isUUID(next) {
                result += Array("UUID".utf8)
                index += next.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
        zip(0..., bytes).allSatisfy { place, byte in
            ContainerID.dashes.contains(place)
                ? byte == UInt8(ascii: "-") : ContainerID.digit(byte) != nil
        }
    }
}
