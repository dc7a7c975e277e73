/// An item of a sharing view.
public struct SharedItem: Codable, Equatable, Sendable {
    public var name: String
    public var kind: String
    public var size: Int64
    /// Seconds since 1970.
    public var modified: Double

    public init(name: String, kind: String, size: Int64, modified: Double) {
        self.name = name
        self.kind = kind
        self.size = size
        self.modified = modified
    }
}
