/// Where the rules of iOS stand in the web, for forms of reports that want a page that a browser shows.
extension FindingCode {
    private static let apple = "https://developer.apple.com/"
    private static let guides = apple + "library/archive/documentation/FileManagement/Conceptual/"

    /// A URL; of what iOS says of all folders of a home where there is no page of this very rule.
    var helpLink: String {
        switch self {
        case .reCreatable, .large: Self.apple + "library/archive/qa/qa1719/_index.html"
        case .exposed, .exposedLater: Self.key("uifilesharingenabled")
        case .sharingHalf: Self.key("lssupportsopeningdocumentsinplace")
        case .nameCase, .nameForm: Self.guides + "APFS_Guide/FAQ/FAQ.html"
        default: Self.guides + "FileSystemProgrammingGuide/FileSystemOverview/FileSystemOverview.html"
        }
    }

    private static func key(_ name: String) -> String {
        apple + "documentation/bundleresources/information-property-list/" + name
    }
}
