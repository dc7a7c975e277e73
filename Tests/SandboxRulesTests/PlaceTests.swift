import Testing

import SandboxRules

@Suite struct PlaceTests {
    @Test("The home's own directories each have their place")
    func homeDirectories() {
        #expect("Documents".place(in: .home) == .documents)
    }
}

extension String {
    func place(in directory: Place, isDirectory: Bool = true, under policy: NamePolicy = .device) -> Place {
        withNameBytes { directory.place(ofChild: $0, isDirectory: isDirectory, under: policy) }
    }

    func withNameBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
