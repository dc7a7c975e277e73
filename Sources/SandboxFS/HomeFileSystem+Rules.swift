internal import CLinux
internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Where the rules of SPEC 3 are asked. Mode bits come before them: the kernel has checked those, or they are
/// asked for here.
extension HomeFileSystem {
    /// - Throws: EPERM where a rule refuses `operation` on `name` in `directory`, which is an event too;
    ///   ENOSPC for what takes room while that is kept.
    func refuse(
        _ operation: AppOperation, _ name: FileName, isDirectory: Bool, in directory: NodeKey,
        for caller: Caller
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
        try checkNatively(lx_may_write | lx_may_search, directory)
        throw record(refusal, of: "\(operation)", name.text, in: InodeNumber(directory), for: caller)
    }

    /// - Parameter takesWriting: false for what a file's owner may do whatever its mode.
    /// - Throws: EPERM where the bytes and attributes of `node` are not the app's to change.
    func refuseModifying(
        _ node: NodeKey, _ operation: String, takesWriting: Bool = true, for caller: Caller
    ) throws(Errno) {
        let inode = InodeNumber(node)
        guard let refusal = AccessRule.refusalToModify(tree.place(of: inode)) else { return }
        if takesWriting { try checkNatively(lx_may_write, node) }
        throw record(refusal, of: operation, "", in: inode, for: caller)
    }

    /// - Throws: EPERM where `node` may not get a second name.
    func refuseLinking(_ node: NodeKey, for caller: Caller) throws(Errno) {
        let inode = InodeNumber(node)
        let item = tree.place(of: inode)
        let parent = tree.placeOfParent(of: inode)
        guard let refusal = AccessRule.refusal(of: .linkFrom, in: parent, item: item) else { return }
        throw record(refusal, of: "link", "", in: inode, for: caller)
    }

    /// - Returns: the error that the caller gets.
    private func record(
        _ refusal: Refusal, of operation: String, _ name: String, in inode: InodeNumber, for caller: Caller
    ) -> Errno {
        let error = Errno.notPermitted
        tree.recordRefusal(
            of: operation, name, in: inode, rule: refusal.description, error: error, by: Asker(caller))
        return error
    }

    /// Tells of a name that no directory of a device holds, which a look-up was refused for.
    func noteRefusedName(
        _ name: FileName, _ error: Errno, in directory: NodeKey, for caller: Caller
    ) {
        guard let problem = tree.policy.problem(with: name.bytes) else { return }
        tree.recordRefusal(
            of: "look up", name.text, in: InodeNumber(directory), rule: problem.description, error: error,
            by: Asker(caller))
    }
}
