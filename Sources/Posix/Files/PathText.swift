/// Paths and other text that the kernel or a shell reads byte by byte.
///
/// Swift compares characters, and a character holds the combining marks that follow it: `"/\u{301}"` is one
/// that is not `"/"`. Text from outside could hide a slash, a quote or a blank so. These functions look at
/// single scalars; the house rules refuse the standard library's own calls with such a literal.
extension StringProtocol {
    public var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

    public var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// What lies between the slashes of a path; an empty part is left out.
    public var pathParts: [String] { parts(between: "/") }

    /// What lies between the places where `separator` stands.
    public func parts(between separator: Unicode.Scalar, keepingEmpty: Bool = false) -> [String] {
        unicodeScalars.split(separator: separator, omittingEmptySubsequences: !keepingEmpty)
            .map { String(String.UnicodeScalarView($0)) }
    }

    /// The path before the last slash (nil: there is none), and the name behind it.
    public var directoryAndName: (directory: String?, name: String) {
        guard let slash = unicodeScalars.lastIndex(where: { $0 == "/" }) else { return (nil, String(self)) }
        return (String(self[..<slash]), String(self[unicodeScalars.index(after: slash)...]))
    }

    /// Whether this path is `directory` or lies below it.
    public func isPath(in directory: some StringProtocol) -> Bool {
        if directory.utf8.elementsEqual("/".utf8) { return isAbsolutePath }
        let rest = utf8.dropFirst(directory.utf8.count)
        return utf8.starts(with: directory.utf8) && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
    }
}
