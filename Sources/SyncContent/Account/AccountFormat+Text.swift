internal import Foundation
internal import Posix

/// `format` is JSON, for a person who looks.
extension AccountFormat {
    /// A format that is longer is none.
    static let limitBytes = 64 << 10

    /// The bytes of the object.
    package func encoded() throws(AccountError) -> [UInt8] {
        let text = FormatText(
            version: Self.version, hash: Self.hashName, nameKey: Hex.text(nameKey.bytes),
            chunker: ChunkerText(
                kind: Self.chunkerName, seed: Hex.text(chunking.seed), minimum: chunking.minimumBytes,
                normal: chunking.normalBytes, maximum: chunking.maximumBytes,
                smallFile: chunking.smallFileBytes),
            unicode: unicodeVersion, features: features, retention: retention)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(text) else { throw .malformed("format cannot be written") }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// - Throws: `.unknownVersion` where a later program made the account, `.malformed` where it makes no
    ///   sense.
    package init(decoding bytes: [UInt8]) throws(AccountError) {
        guard bytes.count <= Self.limitBytes else { throw .malformed("format of \(bytes.count) bytes") }
        let data = Data(bytes)
        // The version first: what else a later one says need not be understood.
        guard let found = try? JSONDecoder().decode(VersionText.self, from: data) else {
            throw .malformed("format is not JSON with a version")
        }
        guard found.version == Self.version else { throw .unknownVersion(found.version) }
        guard let text = try? JSONDecoder().decode(FormatText.self, from: data) else {
            throw .malformed("format lacks what version \(found.version) has")
        }
        guard text.hash == Self.hashName else { throw .unknownFeature("hash \(text.hash)") }
        guard text.chunker.kind == Self.chunkerName else {
            throw .unknownFeature("chunker \(text.chunker.kind)")
        }
        guard let nameKey = Hex.bytes(text.nameKey).flatMap(NameKey.init) else {
            throw .malformed("format's name key")
        }
        let chunking = try text.chunker.parameters()
        guard text.retention.isSound else { throw .malformed("format's retention") }
        self.init(
            nameKey: nameKey, chunking: chunking, unicodeVersion: text.unicode, features: text.features,
            retention: text.retention)
    }

    private static let hashName = "sha256"
    private static let chunkerName = "fastcdc"
}

private struct VersionText: Decodable {
    var version: Int
}

private struct FormatText: Codable {
    var version: Int
    var hash: String
    var nameKey: String
    var chunker: ChunkerText
    var unicode: String
    var features: [String]
    var retention: AccountRetention
}

private struct ChunkerText: Codable {
    var kind: String
    var seed: String
    var minimum: Int
    var normal: Int
    var maximum: Int
    var smallFile: Int

    func parameters() throws(AccountError) -> ChunkingParameters {
        guard let seed = Hex.bytes(seed) else { throw .malformed("format's seed") }
        let parameters = ChunkingParameters(
            seed: seed, minimumBytes: minimum, normalBytes: normal, maximumBytes: maximum,
            smallFileBytes: smallFile)
        guard parameters.isSound else { throw .malformed("format's sizes of chunks") }
        return parameters
    }
}
