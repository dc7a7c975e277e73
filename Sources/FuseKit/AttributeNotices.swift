internal import CLinux
internal import Posix
internal import SystemPackage

/// Has the kernel of one session ask for attributes anew, from whichever thread and after the session's end.
public final class AttributeNotices: Sendable {
    private let device: Descriptor
    private let nodes: NodeTable

    init(_ device: consuming Descriptor, _ nodes: NodeTable) {
        self.device = device
        self.nodes = nodes
    }

    /// Answers that this thread has given and not yet handed over go first: another may wait for them.
    /// - Returns: false where the kernel does not know the node, or is about to be told of it.
    public func forgetAttributes(of node: NodeKey) -> Bool {
        if AttributeNotice(node: nodes.number(of: node)).send(to: device.raw) { return true }
        Worker.current?.queue?.sendAnswers()
        return false
    }
}

/// FUSE_NOTIFY_INVAL_INODE for attributes alone: fuse_out_header and fuse_notify_inval_inode_out.
///
/// Sent by any thread, unlike what the notifier sends: without contents to drop the kernel takes no lock that
/// a request may hold.
struct AttributeNotice {
    private var bytes = UInt32(MemoryLayout<AttributeNotice>.size)
    private var code: Int32 = 2
    private var unique: UInt64 = 0
    private var node: UInt64
    /// Below 0: no contents.
    private var offset: Int64 = -1
    private var length: Int64 = 0

    init(node: UInt64) { self.node = node }

    /// - Returns: false where the kernel does not know the node.
    func send(to device: Int32) -> Bool {
        let sent = withUnsafeBytes(of: self) { lx_write(device, $0.baseAddress, UInt64($0.count)) }
        return sent != Int64(-Errno.noSuchFileOrDirectory.rawValue)
    }
}
