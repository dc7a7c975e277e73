import SandboxRules
import Testing

@Suite("Names of extended attributes")
struct AttributeNameTests {
    private func backing(_ name: String) -> String {
        name.withNameBytes { AttributeName.withBackingName(of: $0) { String(cString: $0) } }
    }

    private func listed(_ name: String, prefixed: Bool = false) -> String? {
        name.withNameBytes {
            AttributeName.listedName(forBacking: $0, prefixed: prefixed)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test("Apple's names are kept with user. in front; a caller may say either")
    func backingNames() {
        for name in ["MobileBackup", "metadata:com_apple_backup_excludeItem", "quarantine", "x"] {
            #expect(backing("com.apple.\(name)") == "user.com.apple.\(name)")
            #expect(backing("user.com.apple.\(name)") == "user.com.apple.\(name)")
        }
    }

    @Test("All other names are untouched")
    func otherNames() {
        let names = [
            "security.capability", "user.mime_type", "trusted.x", "system.posix_acl_access", "com.example.x",
            "com.applesauce", "user.com.applesauce", "user.user.com.apple.x", "COM.APPLE.x", "",
        ]
        for name in names {
            #expect(backing(name) == name)
            #expect(listed(name) == name)
            #expect(listed(name, prefixed: true) == name)
            #expect(name.withNameBytes { AttributeName.standing(of: $0) } == .ordinary)
        }
    }

    @Test("Listed under Apple's names, or with the prefix for tools that copy only user.*")
    func listing() {
        #expect(listed("user.com.apple.MobileBackup") == "com.apple.MobileBackup")
        #expect(listed("user.com.apple.MobileBackup", prefixed: true) == "user.com.apple.MobileBackup")
    }

    @Test("A name that is listed names the attribute again", arguments: [false, true])
    func roundTrip(prefixed: Bool) {
        for name in ["user.com.apple.x", "user.x", "security.selinux"] {
            #expect(listed(name, prefixed: prefixed).map(backing) == name)
        }
    }

    @Test("The sync state is answered and never listed")
    func status() {
        for name in ["com.apple.ubiquity.status", "user.com.apple.ubiquity.status"] {
            #expect(name.withNameBytes { AttributeName.standing(of: $0) } == .status)
            #expect(listed(name) == nil)
        }
        let similar = "com.apple.ubiquity.status2"
        #expect(similar.withNameBytes { AttributeName.standing(of: $0) } == .apple)
    }

    @Test("The mount's own marks are hidden")
    func own() {
        #expect("user.apphome.dataless".withNameBytes { AttributeName.standing(of: $0) } == .own)
        #expect(listed("user.apphome.dataless") == nil)
        #expect(listed("user.apphomeless") == "user.apphomeless")
    }

    @Test("An error thrown with the backing name arrives as it was thrown")
    func throwing() {
        struct Failure: Error {}
        let thrown = "com.apple.x".withNameBytes { name in
            do {
                try AttributeName.withBackingName(of: name) { _ throws(Failure) in throw Failure() }
                return false
            } catch {
                return true
            }
        }
        #expect(thrown)
    }
}
