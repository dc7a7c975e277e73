internal import CLinux
internal import Posix
internal import SystemPackage

/// The 256 folders of a backup's blobs, each opened when it is first needed.
struct BlobFolders {
    private let root: Int32
    private let makes: Bool
    private var opened = [SharedDescriptor?](repeating: nil, count: 256)

    /// - Parameters:
    ///   - root: the backup's folder; outlives this.
    ///   - makes: whether missing ones are made.
    init(in root: Int32, makes: Bool) {
        self.root = root
        self.makes = makes
    }

    /// - Throws: `noSuchFileOrDirectory` where there is no such folder and none is made.
    mutating func folder(of identifier: FileIdentifier) throws(Errno) -> Int32 {
        let index = identifier.folderIndex
        if let folder = opened[index] { return folder.raw }
        if makes {
            let result = lx_mkdirat(root, identifier.folder, 0o700)
            if result != -Errno.fileExists.rawValue { try valueOrErrno(result) }
        }
        let folder = SharedDescriptor(try FileTree.openDirectory(root, identifier.folder))
        opened[index] = folder
        return folder.raw
    }
}
