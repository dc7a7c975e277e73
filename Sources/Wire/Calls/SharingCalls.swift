public import Posix

extension Call where Reply == [AppSummary] {
    public static var sharingApps: Call {
        Call(.sharingApps, deadlineSeconds: quickSeconds) {
            if case .apps(let apps) = $0 { apps } else { nil }
        }
    }
}

extension Call where Reply == [SharedItem] {
    /// - Parameter store: straight from it; nil: this device.
    public static func sharedItems(of app: String, from store: CloudAccountArguments?) -> Call {
        Call(.shareList(app: app, from: store)) { if case .items(let items) = $0 { items } else { nil } }
    }
}

extension Call where Reply == Void {
    /// - Parameters:
    ///   - directory: to copy into.
    ///   - store: straight from it; nil: this device.
    public static func shareGet(
        _ name: String, of app: String, to directory: SharedDescriptor, as newName: String,
        from store: CloudAccountArguments?
    ) -> Call {
        doing(
            .shareGet(app: app, name: name, newName: newName, from: store), [directory], stream: .progress)
    }

    public static func shareRemove(_ name: String, of app: String) -> Call {
        doing(.shareRemove(app: app, name: name))
    }
}

extension Call where Reply == [String] {
    /// - Returns: where it lies now, from the home.
    public static func sharePut(
        _ file: SharedDescriptor, as name: String, of app: String, toInbox: Bool
    ) -> Call {
        telling(.sharePut(app: app, name: name, toInbox: toInbox), [file], stream: .progress)
    }
}
