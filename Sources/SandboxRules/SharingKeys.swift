/// The keys of an Info.plist that show an app's Documents to the outside.
public struct SharingKeys: Hashable, Sendable {
    /// `UIFileSharingEnabled`: the iTunes File Sharing view.
    public var itunes: Bool
    /// `LSSupportsOpeningDocumentsInPlace`.
    public var opensInPlace: Bool
    /// `UISupportsDocumentBrowser`.
    public var documentBrowser: Bool

    public init(itunes: Bool, opensInPlace: Bool, documentBrowser: Bool) {
        self.itunes = itunes
        self.opensInPlace = opensInPlace
        self.documentBrowser = documentBrowser
    }

    /// Whether the app offers itself to each view, where no more is known.
    public init(itunes: Bool, files: Bool) {
        self.init(itunes: itunes, opensInPlace: files, documentBrowser: false)
    }

    /// Whether the Files view shows the app: either of its two keys is enough here.
    public var files: Bool { opensInPlace || documentBrowser }
}
