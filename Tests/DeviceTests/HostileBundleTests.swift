import Foundation
import Glibc
import Posix
import Testing

@testable import Device

/// What is no app is refused with one line, and nothing of it is left on the device.
@Suite struct HostileBundleTests {
    @Test func aDirectoryWithoutInfoPlist() throws {
        let scratch = try Scratch()
        try scratch.write("Recipes.app/Recipes")
        #expect(try scratch.refusal()?.message.contains("no file Info.plist") == true)
    }

    @Test func anInfoPlistThatIsALink() throws {
        let scratch = try Scratch()
        try scratch.write(plist: "real.plist", ["CFBundleIdentifier": "a.b"])
        try scratch.write("Recipes.app/x")
        try scratch.link("Recipes.app/Info.plist", to: scratch.file("real.plist"))
        #expect(try scratch.refusal()?.kind == .notAnApp)
    }

    @Test(arguments: [
        "", "a/b", "..", ".hidden", "-option", "a b", "über", String(repeating: "a", count: 156),
    ])
    func anIdentifierThatIsNone(identifier: String) throws {
        let scratch = try Scratch()
        try scratch.bundle(id: identifier)
        let refused = try scratch.refusal()
        #expect(refused?.kind == .notAnApp)
        #expect(refused?.message.contains("CFBundleIdentifier") == true)
        #expect(refused?.message.contains("\n") == false)
    }

    @Test func noIdentifierAtAll() throws {
        let scratch = try Scratch()
        try scratch.write(plist: "Recipes.app/Info.plist", ["CFBundleName": "x"])
        #expect(try scratch.refusal()?.message.contains("has no CFBundleIdentifier") == true)
    }

    @Test func aSourcePlist() throws {
        let scratch = try Scratch()
        try scratch.bundle(id: "$(PRODUCT_BUNDLE_IDENTIFIER)")
        #expect(try scratch.refusal()?.message.contains("this is a source plist") == true)
    }

    @Test(arguments: [
        "", "not a plist", "<plist>", "bplist00", "bplist00\u{0}\u{0}\u{0}", "((((((((", "{ a = b; }",
    ])
    func aPropertyListThatIsNone(text: String) throws {
        let scratch = try Scratch()
        try scratch.write("Recipes.app/Info.plist", Array(text.utf8))
        #expect(try scratch.refusal()?.message.hasPrefix("Recipes.app is not an app: Info.plist is") == true)
    }

    @Test func aPropertyListNestedTooDeep() throws {
        let scratch = try Scratch()
        let nested =
            String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        try scratch.write(
            "Recipes.app/Info.plist", Array("<?xml version=\"1.0\"?><plist>\(nested)</plist>".utf8))
        #expect(try scratch.refusal()?.kind == .notAnApp)
    }

    @Test func aGigabyteOfPropertyList() throws {
        let scratch = try Scratch()
        try scratch.write("Recipes.app/Info.plist", [])
        #expect(truncate(scratch.file("Recipes.app/Info.plist"), 1 << 30) == 0)
        #expect(try scratch.refusal()?.message.contains("larger than 16 MB") == true)
    }

    @Test func aProfileThatIsTooLarge() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/embedded.mobileprovision", [])
        #expect(truncate(scratch.file("Recipes.app/embedded.mobileprovision"), 1 << 30) == 0)
        let refused = try scratch.refusal()
        #expect(refused?.message.contains("embedded.mobileprovision is larger than 4 MB") == true)
    }

    @Test func aFileThatCannotFit() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/large", [])
        #expect(truncate(scratch.file("Recipes.app/large"), 2 << 20) == 0)
        let refused = try scratch.refusal(limits: InstallLimits(reserveBytes: .max / 2))
        #expect(refused?.message.contains("free some") == true)
    }

    @Test(arguments: ["/etc/passwd", "../../etc/passwd", "..", "sub/../../x", "../Recipes.app/Info.plist"])
    func aLinkThatPointsOut(target: String) throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/sub/file")
        try scratch.link("Recipes.app/out", to: target)
        let refused = try scratch.refusal()
        #expect(refused?.message.contains("the link out points out of the bundle") == true)
    }

    @Test func linksThatPointOutOnlyTogether() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/d/e/file")
        try scratch.link("Recipes.app/d/e/up", to: "../..")
        try scratch.link("Recipes.app/x", to: "d/e/up/../secret")
        #expect(try scratch.refusal()?.message.contains("the link x points out") == true)
    }

    @Test func linksThatStayInOrLeadNowhereAreKept() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/d/file")
        try scratch.link("Recipes.app/d/up", to: "../Info.plist")
        try scratch.link("Recipes.app/none", to: "missing")
        try scratch.link("Recipes.app/circle", to: "circle")
        let device = try scratch.device()
        let bundle = try device.openBundle(scratch.install(on: device).app)
        #expect(try linkTarget("circle", in: bundle.raw) == Array("circle".utf8))
        #expect(try linkTarget("d/up", in: bundle.raw) == Array("../Info.plist".utf8))
    }

    @Test func aPipe() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        #expect(mkfifo(scratch.file("Recipes.app/pipe"), 0o644) == 0)
        #expect(
            try scratch.refusal()?.message.contains("pipe in the bundle is a device, pipe or socket") == true)
    }

    @Test func anInfoPlistOrExecutableThatIsAPipeDoesNotHang() throws {
        let scratch = try Scratch()
        try scratch.write("Recipes.app/x")
        #expect(mkfifo(scratch.file("Recipes.app/Info.plist"), 0o644) == 0)
        #expect(try scratch.refusal()?.kind == .notAnApp)
    }

    @Test func aNameThatIsNotUTF8() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let path = scratch.file("Recipes.app/").utf8CString.dropLast() + [CChar(bitPattern: 0xFF), 0]
        #expect(close(creat(Array(path), 0o644)) == 0)
        #expect(try scratch.refusal()?.message.contains("not UTF-8") == true)
    }

    @Test func oneNameInTwoSpellings() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/caf\u{E9}")
        try scratch.write("Recipes.app/cafe\u{301}")
        #expect(try scratch.refusal()?.message.contains("two spellings") == true)
    }

    @Test func aTreeThatIsTooDeepOrHasTooManyItems() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let deep = Array(repeating: "d", count: 70).joined(separator: "/")
        try scratch.write("Recipes.app/\(deep)/file")
        #expect(try scratch.refusal()?.message.contains("deeper than 64") == true)
        try scratch.bundle("Other")
        for index in 0..<20 { try scratch.write("Other.app/\(index)") }
        #expect(
            try scratch.refusal("Other", limits: InstallLimits(entries: 10))?.message.contains("more than 10")
                == true)
    }

    @Test func aFileInThePlaceOfTheDirectory() throws {
        let scratch = try Scratch()
        try scratch.write("Recipes.app")
        #expect(try scratch.refusal()?.message.contains("is not a directory") == true)
    }

    @Test(arguments: ["Recipes", ".app", "..app", "a\nb.app", "a\u{202E}b.app"])
    func aNameThatNoAppHas(name: String) throws {
        let scratch = try Scratch()
        try scratch.bundle("Recipes")
        let device = try scratch.device()
        let source = try scratch.open("Recipes.app")
        let refused = #expect(throws: DeviceError.self) {
            _ = try device.install(from: .bundle(directory: source.raw, name: name))
        }
        #expect(refused?.kind == .notAnApp)
        #expect(refused?.message.contains("\n") == false)
        scratch.expectNothingLeft()
    }

    @Test func anExecutableNameWithAPath() throws {
        let scratch = try Scratch()
        try scratch.bundle(more: ["CFBundleExecutable": "../../../etc/passwd"])
        #expect(try scratch.refusal()?.message.contains("CFBundleExecutable") == true)
    }
}
