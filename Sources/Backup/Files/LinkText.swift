internal import Posix
internal import SystemPackage

/// The text of symlinks.
enum LinkText {
    static let limitBytes = 4095

    /// - Throws: `illegalByteSequence` for one that is not UTF-8, which no backup can hold.
    static func read(_ directory: Int32, _ name: String) throws(Errno) -> String {
        let bytes = try linkTarget(name, in: directory)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .illegalByteSequence }
        return text
    }

    /// Whether a symlink may have this text: anything that the kernel takes. Where it leads is no matter:
    /// nothing of a restore follows it, and the app is held to its home whatever its links say.
    static func isValid(_ text: String) -> Bool {
        (1...limitBytes).contains(text.utf8.count) && !text.utf8.contains(0)
    }
}
