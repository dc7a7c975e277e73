internal import CFuse
internal import Posix
internal import Synchronization

/// What the callbacks and the transport of one session share. libfuse's `userdata` points at it.
final class SessionCore: Sendable {
    let fileSystem: any FileSystem
    let nodes: NodeTable
    let handles = OpenHandles()
    let options: SessionOptions
    let counters = RequestCounters()
    let transport = SessionTransport()
    let passthrough: Passthrough
    /// Answers that the file system has kept for later.
    let heldReplies = Gate(0)

    init(fileSystem: any FileSystem, options: SessionOptions) {
        self.fileSystem = fileSystem
        self.options = options
        nodes = NodeTable(root: fileSystem.root)
        passthrough = Passthrough(nodes: nodes, data: options.data)
    }

    /// What the kernel's INIT offers.
    func noteInit(_ request: RawRequest) {
        passthrough.noteOffer(request.initOffers & InitReply.passthrough != 0)
        transport.noteInit(request)
    }

    static func of(_ userdata: UnsafeMutableRawPointer?) -> SessionCore? {
        // The session retains its core for as long as libfuse can call.
        userdata.map { Unmanaged<SessionCore>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Gives everything back that the kernel still has: it will not ask for it any more.
    func drain() {
        for open in handles.drain() {
            if open.isDirectory {
                fileSystem.releaseDirectory(open.node, handle: open.handle)
            } else {
                fileSystem.release(open.node, handle: open.handle)
            }
        }
        for node in nodes.drain() { fileSystem.forget(node, count: 1) }
    }

    /// Takes tellings back, by FORGET or since the kernel did not take an answer; with the last one the file
    /// system gets its reference back.
    func forget(_ node: NodeKey, tellings: UInt64) {
        if nodes.forget(node, tellings) { fileSystem.forget(node, count: 1) }
    }
}

/// How many requests of each kind a session has read.
public final class RequestCounters: Sendable {
    private let counts: [Counter]

    private final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }

    init() { counts = (0..<64).map { _ in Counter() } }

    func count(opcode: UInt32) {
        guard opcode < 64 else { return }
        counts[Int(opcode)].value.wrappingAdd(1, ordering: .relaxed)
    }

    /// Requests so far, by the kernel's operation number (enum fuse_opcode).
    public var byOperation: [UInt32: UInt64] {
        var result: [UInt32: UInt64] = [:]
        for (opcode, counter) in counts.enumerated() {
            let value = counter.value.load(ordering: .relaxed)
            if value > 0 { result[UInt32(opcode)] = value }
        }
        return result
    }
}
