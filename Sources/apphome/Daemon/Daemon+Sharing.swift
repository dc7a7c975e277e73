internal import SandboxRules
internal import Device
internal import Posix

extension Daemon {
    /// The app, if it shares its Documents as iTunes File Sharing asks for.
    /// - Throws: the refusal, with what a device says (house_arrest's errors).
    func sharingApp(_ name: String) throws -> InstalledApp {
        // An unknown app is refused with "ApplicationLookupFailed" there.
        let app = try device.app(named: name)
        guard app.sharing.itunes else {
            throw CommandFailure(
                "\(app.name) does not share its Documents: Info.plist lacks UIFileSharingEnabled"
                    + " (a device says InstallationLookupFailed). Add the key and install again.")
        }
        return app
    }

    /// `share ls`, `get`, `put` and `rm`.
    func share(_ request: Request, _ descriptors: [SharedDescriptor]) throws -> Reply {
        switch request {
        case .sharingApps: return .apps(try summaries().filter(\.sharing.itunes))
        default: throw CommandFailure("unknown request")
        }
    }
}
