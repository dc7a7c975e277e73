internal import Posix

/// Where a domain's items lie on a device: the names of a path.
package enum DomainPlace {
    /// Of domains whose name is no name of a file.
    package static let refused = ".apphome-refused"
    private static let base = ["private", "var"]

    /// - Returns: nil for a domain whose name could lead elsewhere.
    package static func names(of domain: String) -> [String]? {
        isName(domain) ? base + (owned(domain) ?? known[domain] ?? ["unmapped", domain]) : nil
    }

    /// Of a domain that has no place: a name that leads nowhere.
    package static func namesOfRefused(_ domain: String) -> [String] {
        [refused, "domain " + escaped(domain)]
    }

    /// A domain's name as a part of a file's name.
    package static func escaped(_ domain: String) -> String {
        domain.utf8.prefix(80).map { byte in
            let isPlain =
                byte >= 0x21 && byte < 0x7f && ![UInt8(ascii: "/"), UInt8(ascii: "%")].contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.text([byte]).uppercased()
        }.joined()
    }

    /// Of a domain that belongs to an app, a group or the like, which is named behind its kind.
    private static func owned(_ domain: String) -> [String]? {
        for (prefix, place) in prefixes where domain.hasPrefix(prefix) {
            let identifier = String(domain.dropFirst(prefix.count))
            return isName(identifier) ? place + [identifier] : nil
        }
        return nil
    }

    private static let prefixes: [(prefix: String, place: [String])] = [
        ("AppDomain-", ["mobile", "Containers", "Data", "Application"]),
        ("AppDomainGroup-", ["mobile", "Containers", "Shared", "AppGroup"]),
        ("AppDomainPlugin-", ["mobile", "Containers", "Data", "PluginKitPlugin"]),
        ("SysContainerDomain-", ["containers", "Data", "System"]),
        ("SysSharedContainerDomain-", ["containers", "Shared", "SystemGroup"]),
    ]

    private static let known: [String: [String]] = [
        "HomeDomain": ["mobile"], "CameraRollDomain": ["mobile"], "MediaDomain": ["mobile"],
        "KeyboardDomain": ["mobile"], "TonesDomain": ["mobile"], "HomeKitDomain": ["mobile"],
        "HealthDomain": ["mobile", "Library"], "BooksDomain": ["mobile", "Media", "Books"],
        "RootDomain": ["root"], "KeychainDomain": ["Keychains"], "WirelessDomain": ["wireless"],
        "SystemPreferencesDomain": ["preferences"], "ManagedPreferencesDomain": ["Managed Preferences"],
        "DatabaseDomain": ["db"], "MobileDeviceDomain": ["MobileDevice"], "InstallDomain": ["installd"],
        "ProtectedDomain": ["protected"], "NetworkDomain": ["networkd"],
    ]

    /// The domain whose record of a directory counts, where several have one.
    package static func comesFirst(_ domain: String) -> Bool { domain == "HomeDomain" }

    /// Whether it can be the name of a directory.
    package static func isName(_ text: String) -> Bool { StoredPath.isName(text) && text != refused }
}
