internal import CFuse
internal import CLinux
internal import Posix

/// How a mount is asked to have contents travel; the values of the option `data`.
public enum DataPath: String, Sendable, CaseIterable {
    /// They pass through the kernel if it offers that, the process may ask for it, and the file system can.
    case auto
    /// As `auto`. A caller that accepts nothing else looks at `Session.passthroughRefusal` once the session
    /// is ready.
    case passthrough
    /// Reads and writes are requests; large ones are spliced.
    case splice
}

/// Kernel passthrough of one session: the kernel reads, writes and maps a backing file itself, and sends no
/// request for it.
///
/// libfuse 3.14 does not know of it: INIT, backing files and the answers to opens are made by hand.
public final class Passthrough: Sendable {
    private struct State {
        var device: Int32 = -1
        var isOffered = false
        var refusal: PassthroughRefusal?
    }

    private let nodes: NodeTable
    /// Leaf.
    private let state: Lock<State>

    init(nodes: NodeTable, data: DataPath) {
        self.nodes = nodes
        var state = State()
        if data == .splice {
            state.refusal = .notAsked
        } else if !Self.isPermitted {
            state.refusal = .notPrivileged
        }
        self.state = Lock(state, rank: .leaf)
    }

    /// Whether this process may ask for passthrough: the kernel wants CAP_SYS_ADMIN.
    public static var isPermitted: Bool { lx_may_administer() != 0 }

    func attach(_ device: Int32) { state.withLock { $0.device = device } }

    /// What the kernel's INIT says.
    func noteOffer(_ isOffered: Bool) {
        state.withLock { state in
            state.isOffered = isOffered
            if !isOffered && state.refusal == nil { state.refusal = .notOffered }
        }
    }

    /// Whether INIT is to ask the kernel for it.
    var isWanted: Bool { state.withLock { $0.isOffered && $0.refusal == nil } }

    var refusal: PassthroughRefusal? { state.withLock { $0.refusal } }

    /// The kernel has agreed: the file system may use it.
    func start(_ fileSystem: any FileSystem) {
        guard isWanted else { return }
        do throws(PassthroughRefusal) {
            try fileSystem.start(self)
        } catch {
            state.withLock { $0.refusal = error }
        }
    }

    private var device: Int32 { state.withLock { $0.device } }

    /// Makes an open file known to the kernel, which keeps it open until `closeBacking`.
    /// - Returns: its number there, above 0; or -errno.
    public func openBacking(_ descriptor: Int32) -> Int32 { lx_backing_open(device, descriptor) }

    public func closeBacking(_ backing: Int32) { _ = lx_backing_close(device, backing) }

    /// Has the kernel ask for the node's attributes again, also where an answer with them is on its way.
    public func forgetAttributes(of node: NodeKey) {
        _ = AttributeNotice(node: nodes.number(of: node)).send(to: device)
    }
}
