import Testing

@testable import Device

@Suite struct DeviceSettingsTests {
    @Test func whatIsSetIsThereAfterOpeningAgain() throws {
        let scratch = try Scratch()
        do {
            let device = try scratch.device()
            try device.set("names", "simulator")
            try device.set("low-disk", "2G")
            try device.set("xattr-list", "user")
            try device.set("upload-rate", "500K")
            try device.set("download-rate", "2M")
            try device.set("download-rate", "none")
        }
        let settings = try scratch.device().settings()
        #expect(settings.names == .simulator)
        #expect(settings.lowDisk == .bytes(2_000_000_000))
        #expect(settings.attributeList == .user)
        #expect(settings.keyValueLimits == .ios5)
        #expect(settings.quotaBytes == 5_000_000_000)
        #expect(settings.uploadRate == 500_000 && settings.downloadRate == 0)
    }

    @Test(arguments: [
        ("names", "windows"), ("kvs-limits", ""), ("xattr-list", "Apple"), ("low-disk", "100%"),
        ("low-disk", "-1"),
        ("quota", "many"), ("quota", "9223372036854775807K"), ("colour", "red"),
        ("upload-rate", "fast"), ("download-rate", "-1"), ("", "x"),
    ])
    func aKeyOrValueThatIsNoneIsRefusedAndNothingChanges(key: String, value: String) throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let refused = #expect(throws: DeviceError.self) { try device.set(key, value) }
        #expect(refused?.kind == .badValue)
        #expect(try device.settings() == DeviceSettings())
    }

    @Test func everyValueShownCanBeSetBack() throws {
        var settings = DeviceSettings()
        try settings.set("low-disk", "5%")
        #expect(settings.lowDisk == .percent(5))
        var again = DeviceSettings()
        for (key, value) in settings.values { try again.set(key, value) }
        #expect(again == settings)
    }
}
