internal import Posix

/// Names that a disk takes. The log may hold others, for anybody can write to it: replay never shows one.
package enum UsableName {
    /// ext4, XFS, Btrfs and ZFS all take 255 bytes.
    static let limitBytes = 255

    static func isUsable(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= limitBytes && !bytes.elementsEqual(".".utf8)
            && !bytes.elementsEqual("..".utf8) && !bytes.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// The name, or where no disk would take it, the item's id in hex.
    static func shown(_ name: String, of file: FileID) -> String {
        if isUsable(name) { return name }
        return Hex.text(file.bits)
    }

    /// `name 2.ext`.
    static func numbered(_ name: String, _ number: UInt64, isDirectory: Bool) -> String {
        marked(name, " \(number)", isDirectory: isDirectory)
    }

    /// The name with `mark` before the extension, or at the end of a directory's name, shortened so that it
    /// still fits.
    package static func marked(_ name: String, _ mark: String, isDirectory: Bool = false) -> String {
        var stem = name[...]
        var pathExtension = Substring()
        if !isDirectory, let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.startIndex {
            (stem, pathExtension) = (name[..<dot], name[dot...])
        }
        if pathExtension.utf8.count + mark.utf8.count >= limitBytes {
            (stem, pathExtension) = (name[...], "")
        }
        let room = limitBytes - mark.utf8.count - pathExtension.utf8.count
        return String(prefix(stem, bytes: room)) + mark + pathExtension
    }

    /// Whole scalars only: where characters end depends on Unicode's version, and all devices must agree.
    private static func prefix(_ text: Substring, bytes: Int) -> Substring.UnicodeScalarView {
        var scalars = text.unicodeScalars
        while text.utf8.distance(from: text.startIndex, to: scalars.endIndex) > bytes {
            scalars.removeLast()
        }
        return scalars
    }
}
