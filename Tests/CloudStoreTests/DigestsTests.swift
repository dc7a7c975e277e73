import CloudStore
import Posix
import StoreBasics
import Testing

@Suite struct DigestsTests {
    /// FIPS 180-2, appendix B; RFC 4231, cases 1, 2 and 6.
    @Test func `Digests are those of the standards`() {
        let abc = Array("abc".utf8)
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Hex.text(Digests.sha256(abc)) == expected)
        var hasher = SHA256Hasher()
        for byte in abc { hasher.update([byte]) }
        #expect(Hex.text(hasher.digest()) == expected)
        let hi = Digests.hmac(key: [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8))
        #expect(Hex.text(hi) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let jefe = Digests.hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(Hex.text(jefe) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `Hexadecimal text and bytes are one`() {
        #expect(Hex.text([0, 0x9f, 0xff]) == "009fff")
        #expect(Hex.bytes("009fff") == [0, 0x9f, 0xff])
        for bad in ["0", "0g", "FF", "ff ", "é0"] { #expect(Hex.bytes(bad) == nil) }
    }
}
