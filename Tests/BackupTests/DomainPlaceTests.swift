import Testing

@testable import Backup

@Suite struct DomainPlaceTests {
    @Test(arguments: [
        ("AppDomain-org.example.a", "mobile/Containers/Data/Application/org.example.a"),
        ("AppDomainGroup-group.a", "mobile/Containers/Shared/AppGroup/group.a"),
        ("AppDomainPlugin-org.a.share", "mobile/Containers/Data/PluginKitPlugin/org.a.share"),
        ("SysContainerDomain-com.apple.x", "containers/Data/System/com.apple.x"),
        ("SysSharedContainerDomain-systemgroup.x", "containers/Shared/SystemGroup/systemgroup.x"),
        ("HomeDomain", "mobile"), ("HealthDomain", "mobile/Library"), ("KeychainDomain", "Keychains"),
        ("ManagedPreferencesDomain", "Managed Preferences"), ("NewDomain", "unmapped/NewDomain"),
    ])
    func aDomainLiesWhereTheDeviceHasIt(domain: String, place: String) {
        #expect(DomainPlace.names(of: domain)?.joined(separator: "/") == "private/var/" + place)
    }

    @Test(arguments: [
        "AppDomain-../../../tmp/e", "/etc", "..", ".", "", "a/b", "a\0b", ".apphome-refused",
        String(repeating: "x", count: 256),
    ])
    func whatIsNoNameHasNoPlace(domain: String) throws {
        #expect(DomainPlace.names(of: domain) == nil)
        let name = try #require(DomainPlace.namesOfRefused(domain).last)
        #expect(!name.contains("/") && name.utf8.count <= 255 && !name.utf8.contains { $0 < 0x20 })
    }

    /// The part behind the kind is a name by itself.
    @Test(arguments: ["AppDomain-..", "AppDomain-", "AppDomainGroup-."])
    func anOwnerThatIsNoNameIsNotFollowed(domain: String) throws {
        #expect(DomainPlace.names(of: domain) == ["private", "var", "unmapped", domain])
    }
}
