/// Files that a program keeps beside a document while it works on it, known by their names. Nobody made them
/// as documents, and on another device they are wrong: a lock that nobody holds there, a swap file of no
/// editor.
///
/// Backups (`a~`) are no such files: a person asked for them. What lives for less than a second needs no name
/// here, for it is gone before it is sent.
extension UnsafeRawBufferPointer {
    /// - vim, nano: `.NAME.swp`, then `.swo` and on to `.swg`; Kate: `.NAME.kate-swp`
    /// - Emacs: `#NAME#`, `.#NAME`
    /// - LibreOffice: `.~lock.NAME#`; Microsoft Office: `~$NAME`
    /// - GLib's saves: `.goutputstream-…`; Chrome's downloads: `*.crdownload`
    /// - git: `index.lock`, `HEAD.lock`, `packed-refs.lock`, `tmp_obj_??????`, `tmp_pack_??????`
    ///
    /// Not every `*.lock`, `*.part`, `*.sw?`: there are documents of such names.
    var isNameOfTemporaryFile: Bool {
        switch first {
        case UInt8(ascii: "."):
            hasPrefix(".#") || hasPrefix(".goutputstream-") || hasPrefix(".~lock.") && hasSuffix("#")
                || isNameOfSwapFile
        case UInt8(ascii: "#"): count > 2 && hasSuffix("#")
        case UInt8(ascii: "~"): hasPrefix("~$")
        default: hasSuffix(".crdownload") || isNameOfGit
        }
    }

    /// Of a name that begins with a dot.
    private var isNameOfSwapFile: Bool {
        if hasSuffix(".kate-swp") { return true }
        guard count >= 4, let last else { return false }
        // `.swf` and what comes before it in the alphabet is left to documents.
        let isLetter = (UInt8(ascii: "g")...UInt8(ascii: "p")).contains(last)
        return isLetter && UnsafeRawBufferPointer(rebasing: dropLast()).hasSuffix(".sw")
    }

    private var isNameOfGit: Bool {
        // git puts six characters of its choice there.
        if hasPrefix("tmp_obj_") { return count == 14 }
        if hasPrefix("tmp_pack_") { return count == 15 }
        return isEqual(to: "index.lock") || isEqual(to: "HEAD.lock") || isEqual(to: "packed-refs.lock")
    }
}
