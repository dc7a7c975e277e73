import Testing

@testable import Wire

@Suite struct MountSourceTests {
    @Test func aSourceIsReadBackAsWritten() {
        let source = MountSource(deviceID: "ID", kind: .share, bundleID: "com.example.x")
        #expect(source.description == "apphome:ID:share:com.example.x")
        #expect(MountSource(source.description) == source)
    }

    @Test(arguments: [
        "apphome", "apphome:a:b", "other:ID:home:x", "apphome:ID:sofa:x", "apphome:ID:home:x:y", "",
    ])
    func otherSourcesAreNotOurs(_ text: String) {
        #expect(MountSource(text) == nil)
    }
}
