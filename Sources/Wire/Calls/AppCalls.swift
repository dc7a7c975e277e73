public import Posix
public import PropertyLists

extension Call where Reply == [AppSummary] {
    public static var list: Call {
        Call(.list, deadlineSeconds: quickSeconds) { if case .apps(let apps) = $0 { apps } else { nil } }
    }
}

extension Call where Reply == AppInfo {
    /// Without a deadline: it adds up the sizes of the app's areas.
    public static func info(of app: String) -> Call {
        Call(.info(app: app)) { if case .info(let info) = $0 { info } else { nil } }
    }
}

extension Call where Reply == InstallReport {
    /// - Parameter bundle: its directory, or an archive.
    public static func install(
        _ bundle: SharedDescriptor, entitlements: SharedDescriptor?, _ arguments: InstallArguments
    ) -> Call {
        var arguments = arguments
        arguments.hasEntitlements = entitlements != nil
        return Call(
            .install(arguments), [bundle] + [entitlements].compactMap { $0 }, stream: .progress,
            read: Self.installed)
    }

    public static func new(
        _ arguments: NewArguments, propertyList: SharedDescriptor?, content: SharedDescriptor?
    ) -> Call {
        var arguments = arguments
        (arguments.hasPropertyList, arguments.hasContent) = (propertyList != nil, content != nil)
        return Call(.new(arguments), [propertyList, content].compactMap { $0 }, read: Self.installed)
    }

    private static func installed(_ answer: Answer) -> InstallReport? {
        if case .installed(let report) = answer { report } else { nil }
    }
}

extension Call where Reply == DoctorFacts {
    /// Without a deadline: it reads the whole bundle.
    public static func doctorFacts(of app: String) -> Call {
        Call(.doctorFacts(app: app)) { if case .doctorFacts(let facts) = $0 { facts } else { nil } }
    }
}

extension Call where Reply == UninstallReport {
    public static func uninstall(_ arguments: UninstallArguments) -> Call {
        Call(.uninstall(arguments)) { if case .uninstalled(let report) = $0 { report } else { nil } }
    }
}

extension Call where Reply == PreferenceValue {
    /// - Parameter key: nil: all of them.
    public static func preferences(of app: String, key: String?) -> Call {
        Call(.preferences(PreferenceRequest(app: app, action: .read(key: key)))) {
            if case .preference(let value) = $0 { value } else { nil }
        }
    }
}

extension Call where Reply == Void {
    public static func setPreference(_ key: String, of app: String, to value: PreferenceValue) -> Call {
        doing(.preferences(PreferenceRequest(app: app, action: .write(key: key, value))))
    }

    public static func deletePreference(_ key: String, of app: String) -> Call {
        doing(.preferences(PreferenceRequest(app: app, action: .delete(key: key))))
    }
}
