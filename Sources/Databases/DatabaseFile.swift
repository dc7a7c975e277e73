/// What tells a SQLite database from other files.
public enum DatabaseFile {
    /// How many bytes of a file `isDatabase` wants to see.
    public static let headerBytes = 16

    /// Whether a file that begins so is a database.
    public static func isDatabase(header: [UInt8]) -> Bool { header.starts(with: magic) }

    private static let magic: [UInt8] = Array("SQLite format 3".utf8) + [0]
}
