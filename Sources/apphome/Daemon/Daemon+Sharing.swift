internal import Device
internal import Posix

extension Daemon {
    /// The app, if it shares its Documents as iTunes File Sharing asks for.
    /// - Throws: the refusal, with what a device says (house_arrest's errors).
    func sharingApp(_ name: String) throws -> InstalledApp {
        let app = try knownApp(name)
        guard app.sharing.iTunes else {
            throw CommandFailure(
                "\(app.name) does not share its Documents: Info.plist lacks UIFileSharingEnabled"
                    + " (a device says InstallationLookupFailed). Add the key and install again.")
        }
        return app
    }

    private func knownApp(_ name: String) throws -> InstalledApp {
        do {
            return try device.app(named: name)
        } catch {
            guard error.kind == .unknownApp else { throw error }
            throw CommandFailure("\(error.message) (a device says ApplicationLookupFailed)")
        }
    }

    /// `share ls`, `get`, `put` and `rm`.
    func share(_ request: Request, _ descriptors: [SharedDescriptor]) throws -> Reply {
        switch request {
        case .sharingApps: return .apps(try summaries().filter(\.sharing.itunes))
        default: throw CommandFailure("unknown request")
        }
    }
}
