/// What was found in an app.
public struct AppFindings: Sendable {
    public let name: String
    public let bundleID: String
    /// Files that were met, and bytes of them that were read.
    public let files: Int
    public let bytes: UInt64
    public var found: FindingList

    public init(name: String, bundleID: String, files: Int, bytes: UInt64, found: FindingList) {
        self.name = name
        self.bundleID = bundleID
        self.files = files
        self.bytes = bytes
        self.found = found
    }
}
