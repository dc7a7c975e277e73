public import SandboxRules

extension [InstalledApp] {
    /// How an app is called in every sentence: by its name, which commands take; where another one of these
    /// has that name too, or none has the identifier, by its identifier.
    public func word(for bundleID: BundleIdentifier) -> String {
        guard let app = first(where: { $0.bundleID == bundleID }) else { return bundleID.value }
        let folded = app.name.lowercased()
        let isAlone = !contains { $0.bundleID != bundleID && $0.name.lowercased() == folded }
        return isAlone ? app.name : bundleID.value
    }
}
