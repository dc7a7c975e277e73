import TestKit

@testable import CloudSync
@testable import SyncLog

/// Operations with everything that the format can say, at random.
struct RandomOperations {
    var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func batch() -> Batch {
        let operations = (0..<random.below(8)).map { _ in operation() }
        return Batch(device: DeviceID(bits: bits()), n: number() >> 1, operations: operations)
    }

    /// Of any width, so that every length of a head comes.
    private mutating func number() -> UInt64 { random.next() >> (random.next() % 64) }
    private mutating func bits() -> UInt128 { UInt128(random.next()) << 64 | UInt128(random.next()) }
    private mutating func file() -> FileID { FileID(bits: bits()) }
    private mutating func hash() -> ContentHash { ContentHash(high: bits(), low: bits()) }

    private mutating func revision() -> Revision {
        Revision(device: DeviceID(bits: bits()), n: number(), index: UInt32(truncatingIfNeeded: number()))
    }

    private mutating func revisions() -> [Revision] { (0..<random.below(30)).map { _ in revision() } }

    private mutating func text() -> String {
        let scalars: [Unicode.Scalar] = ["a", "/", "\u{e9}", "\u{301}", "\u{1f600}", "\0", "."]
        return (0..<random.below(40)).reduce(into: "") { text, _ in
            text.unicodeScalars.append(scalars[random.below(scalars.count)])
        }
    }

    private mutating func locator() -> Locator {
        random.chance(50)
            ? .object(number()) : .pack(Bits128(bits()), offset: UInt32(truncatingIfNeeded: number()))
    }

    private mutating func content() -> Content {
        switch random.below(3) {
        case 0: return .directory
        case 1: return .symlink(target: (0..<random.below(50)).map { _ in UInt8(random.below(256)) })
        default:
            let chunks = (0..<random.below(5)).map { _ in
                Chunk(hash: hash(), sizeBytes: UInt32(1 + random.below(4 << 20)), locator: locator())
            }
            let size = chunks.reduce(0) { $0 + UInt64($1.sizeBytes) }
            return .file(FileContent(hash: hash(), sizeBytes: size, chunks: chunks))
        }
    }

    private mutating func attributes() -> Attributes {
        let extended = (0..<random.below(3)).map { index in
            ExtendedAttribute(name: "com.apple.\(index)", value: Array(text().utf8))
        }
        let modified = Int64(bitPattern: random.next())
        return Attributes(mode: UInt16(random.below(0o10000)), modified: modified, extended: extended)
    }

    private mutating func operation() -> Operation {
        switch random.below(10) {
        case 0:
            return .create(
                Creation(
                    file: file(), parent: file(), name: text(), content: content(), attributes: attributes()))
        case 1:
            return .edit(
                Edit(
                    file: file(), base: revision(), content: content(), attributes: attributes(),
                    parent: file(), name: text()))
        case 2: return .move(file: file(), parent: file(), name: text())
        case 3: return .setAttributes(file: file(), attributes())
        case 4: return .delete(Deletion(file: file(), place: revision(), contents: revisions()))
        case 5: return .withdraw(file: file(), contents: revisions())
        case 6: return .resolve(Resolution(file: file(), keep: revision(), contents: revisions()))
        case 7:
            return .relocate(
                (0..<random.below(4)).map { _ in Relocation(chunk: hash(), locator: locator()) })
        case 8: return .keyValue(keyValue())
        default: return .require(feature: text())
        }
    }

    private mutating func keyValue() -> KeyValueOperation {
        let stamp = KeyValueStamp(
            milliseconds: Int64(random.next() >> 24), count: UInt32(truncatingIfNeeded: random.next()))
        let value = (0..<random.below(3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return KeyValueOperation(
            key: KeyName(text()), value: random.below(4) == 0 ? nil : value, stamp: stamp)
    }
}
