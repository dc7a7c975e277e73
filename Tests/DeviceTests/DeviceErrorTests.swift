import Testing

@testable import Device

@Suite struct DeviceErrorTests {
    private struct OddError: Error, CustomStringConvertible { let description = "the moon is full" }

    @Test func anUnknownErrorSpeaksForItselfAndBlamesNoCatalogue() {
        let error = #expect(throws: DeviceError.self) {
            try DeviceError.translating("read the settings") { throw OddError() }
        }
        #expect(error?.message == "cannot read the settings: the moon is full")
    }
}
