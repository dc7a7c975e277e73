internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Where the rules of SPEC 3 are asked. The kernel has checked the mode bits before.
extension HomeFileSystem {
    /// - Throws: EPERM where a rule refuses `operation` on `name` in `directory`, which is an event too;
    ///   ENOSPC for what takes room while that is kept.
    func refuse(
        _ operation: AppOperation, _ name: FileName, isDirectory: Bool, in directory: NodeKey
    ) throws(Errno) {
        let parent = tree.place(of: InodeNumber(directory))
        let item =
            isHome(directory) && isBundle(name)
            ? Place.bundle : parent.place(ofChild: name.bytes, isDirectory: isDirectory, under: tree.policy)
        guard let refusal = AccessRule.refusal(of: operation, in: parent, item: item) else {
            // Removing and renaming go on: what gives room back begins so.
            if operation == .create || operation == .linkTo { try tree.refuseGrowth() }
            return
        }
        tree.recordRefusal(
            of: "\(operation)", name.text, in: InodeNumber(directory), rule: refusal.description)
        throw .notPermitted
    }

    /// - Throws: EPERM where the bytes and attributes of `node` are not the app's to change.
    func refuseModifying(_ node: NodeKey, _ operation: String) throws(Errno) {
        let inode = InodeNumber(node)
        guard let refusal = AccessRule.refusalToModify(tree.place(of: inode)) else { return }
        tree.recordRefusal(of: operation, "", in: inode, rule: refusal.description)
        throw .notPermitted
    }

    /// - Throws: EPERM where `node` may not get a second name.
    func refuseLinking(_ node: NodeKey) throws(Errno) {
        let inode = InodeNumber(node)
        let item = tree.place(of: inode)
        let parent = tree.placeOfParent(of: inode)
        guard let refusal = AccessRule.refusal(of: .linkFrom, in: parent, item: item) else { return }
        tree.recordRefusal(of: "link", "", in: inode, rule: refusal.description)
        throw .notPermitted
    }
}
