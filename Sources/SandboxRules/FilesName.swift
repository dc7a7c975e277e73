/// The names that apps have in the Files app.
public enum FilesName {
    /// The longest name that backing file systems hold, in bytes.
    private static let longest = 255

    /// A free name for an app: its display name, or that with the first number from 2 on that makes it free.
    ///
    /// A slash is shown as a colon, as Apple's systems show it; a dot at the beginning, which would hide the
    /// directory, and a NUL as an underscore.
    public static func first(for displayName: String, where isFree: (String) -> Bool) -> String {
        let name = fileName(displayName, longest: longest)
        if isFree(name) { return name }
        var number = 2
        while true {
            let suffix = " \(number)"
            let numbered = fileName(displayName, longest: longest - suffix.utf8.count) + suffix
            if isFree(numbered) { return numbered }
            number += 1
        }
    }

    private static func fileName(_ displayName: String, longest: Int) -> String {
        var name = ""
        for scalar in displayName.unicodeScalars {
            let shown: Unicode.Scalar =
                switch scalar {
                case "/": ":"
                case "\0": "_"
                case "." where name.isEmpty: "_"
                default: scalar
                }
            if name.utf8.count + String(Character(shown)).utf8.count > longest { break }
            name.unicodeScalars.append(shown)
        }
        return name.isEmpty ? "_" : name
    }
}
