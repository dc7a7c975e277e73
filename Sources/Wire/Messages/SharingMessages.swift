/// An item of a sharing view.
public struct SharedItem: Codable, Equatable, Sendable {
    public var name: String
    public var kind: String
    public var size: Int64
    /// The daemon sends one of a store's directories too, which says nothing; nil where nobody knows.
    public var modified: Timestamp?

    public init(name: String, kind: String, size: Int64, modified: Timestamp?) {
        self.name = name
        self.kind = kind
        self.size = size
        self.modified = modified
    }
}

/// A copy into an app's home.
public struct CopyInArguments: Codable, Equatable, Sendable {
    public var app: String
    /// What is copied, by its name outside.
    public var name: String
    /// From the home.
    public var path: String
    /// Whether the path is that of a folder to copy into, and not perhaps the new name.
    public var isFolder: Bool
    public var replacesFolders: Bool

    public init(app: String, name: String, path: String, isFolder: Bool, replacesFolders: Bool) {
        self.app = app
        self.name = name
        self.path = path
        self.isFolder = isFolder
        self.replacesFolders = replacesFolders
    }
}
