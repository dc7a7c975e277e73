import SandboxRules
import Testing

@Suite struct LongNameTests {
    private let long = String(repeating: "長", count: 100)

    @Test func whatADiskTakesStaysAsItIs() {
        for name in ["a", String(repeating: "a", count: 255), String(repeating: "長", count: 85)] {
            #expect(LongName.stored(for: name) == name)
            #expect(name.withNameBytes { LongName.stored(for: $0) } == nil)
        }
        // iOS does not take it either.
        #expect(String(repeating: "長", count: 256).withNameBytes { LongName.stored(for: $0) } == nil)
        #expect(([UInt8](repeating: 0xff, count: 300)).withUnsafeBytes { LongName.stored(for: $0) } == nil)
    }

    @Test func aLongNameHasOneShortNameWithItsExtension() {
        let short = LongName.stored(for: long + ".pdf")
        #expect(short == "apphome-long-name-ca313484da559315fc796ec52ddfd1ff.pdf")
        #expect(LongName.stored(for: long + "x.pdf") != short)
        #expect(!LongName.stored(for: long + ".長").contains("."))
        #expect(LongName.storedPath(for: "a/\(long).pdf/b") == "a/\(short)/b")
    }

    @Test func allSpellingsHaveOneShortName() {
        let composed = String(repeating: "\u{e9}", count: 200)
        let decomposed = String(repeating: "e\u{301}", count: 127)
        #expect(LongName.stored(for: composed + "1") != LongName.stored(for: composed + "2"))
        // 381 bytes, whose normal form has 254: a disk takes that.
        #expect(
            LongName.stored(for: decomposed).utf8.elementsEqual(String(repeating: "\u{e9}", count: 127).utf8))
        let mixed = "e\u{301}" + String(repeating: "\u{e9}", count: 150)
        #expect(LongName.stored(for: mixed) == LongName.stored(for: String(repeating: "\u{e9}", count: 151)))
    }

    @Test func anAttributeIsBelievedOnlyForItsOwnName() throws {
        let short = LongName.stored(for: long)
        let attribute = try #require(short.withNameBytes { LongName.attribute(ofStored: $0) })
        #expect(attribute.hasPrefix("user.apphome.name."))
        func name(_ value: String) -> String? {
            short.withNameBytes { LongName.name(Array(value.utf8), ofStored: $0) }
        }
        #expect(name(long) == long)
        for value in ["", "x", long + "x", "../" + long, short] { #expect(name(value) == nil) }
        for other in ["apphome-long-name-", "apphome-long-name-" + String(repeating: "g", count: 32), "a"] {
            #expect(other.withNameBytes { LongName.attribute(ofStored: $0) } == nil)
        }
    }

    @Test func theAttributeTravelsUnderANameThatOtherDevicesKeep() throws {
        let attribute = try #require(
            LongName.stored(for: long).withNameBytes { LongName.attribute(ofStored: $0) })
        let travelling = try #require(attribute.withNameBytes { LongName.travellingName(ofAttribute: $0) })
        #expect(travelling.withNameBytes { AttributeName.standing(of: $0) } == .apple)
        #expect(travelling.withNameBytes { LongName.attribute(ofTravelling: $0) } == attribute)
        #expect("com.apple.apphome.name.x".withNameBytes { LongName.attribute(ofTravelling: $0) } == nil)
    }
}
