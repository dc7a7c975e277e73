internal import Posix
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

/// A word for an app that is none of those that there are.
public enum UnknownApp {
    /// A word that comes from anywhere is compared with those of all apps, letter by letter.
    private static let mostBytes = 200

    /// - Parameter words: the names and identifiers of those that there are.
    /// - Returns: the one of them that was meant, most likely, its case aside; nil where the word is near to
    ///   none.
    public static func likely(for word: String, among words: [String]) -> String? {
        guard word.utf8.count <= mostBytes else { return nil }
        let likely = words.map { $0.lowercased() }.likely(for: word.lowercased())
        return words.first { $0.lowercased() == likely }
    }
}
