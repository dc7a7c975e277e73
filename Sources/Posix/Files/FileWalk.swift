public import SystemPackage

/// Meets what lies below a directory. Passed over is what is removed meanwhile, or closed to its owner.
public enum FileWalk {
    /// What lies deeper is passed over: the walk holds a descriptor for each level.
    private static let depthLimit = 256

    /// - Parameter meet: of an item that is a directory, whether what lies in it is met too.
    public static func run(
        below directory: Int32, depth: Int = 0,
        _ meet: (_ name: [CChar], _ stamp: ItemStamp, _ depth: Int) -> Bool
    ) throws(Errno) {
        guard depth < depthLimit else { return }
        for name in try DirectoryEntries.names(in: directory) {
            do {
                let stamp = try ItemStamp(directory, name)
                guard meet(name, stamp, depth), stamp.isDirectory else { continue }
                let opened = try FileTree.openDirectory(directory, name)
                try run(below: opened.raw, depth: depth + 1, meet)
            } catch Errno.noSuchFileOrDirectory, Errno.permissionDenied {
                continue
            }
        }
    }

    /// How many bytes the files below a directory have, each name counted.
    public static func fileBytes(below directory: Int32) throws(Errno) -> Int64 {
        var bytes: Int64 = 0
        try run(below: directory) { _, stamp, _ in
            if stamp.isRegular { bytes = bytes.addingSaturated(Int64(clamping: stamp.sizeBytes)) }
            return true
        }
        return bytes
    }

    /// The same of a directory that has no other use, as a bare number does not keep it open.
    public static func fileBytes(below directory: borrowing Descriptor) throws(Errno) -> Int64 {
        try fileBytes(below: directory.raw)
    }
}
