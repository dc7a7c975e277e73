internal import Posix
internal import SyncLog

/// The chunks that were read last, for readers that go through a file in small steps.
final class ChunkCache: Sendable {
    private static let limitBytes = 16 << 20

    private struct State {
        var chunks: [ContentHash: [UInt8]] = [:]
        /// The one that was asked for longest ago first. A handful, so a search through it costs nothing.
        var order: [ContentHash] = []
        var bytes = 0
    }

    private let state = Lock(State())

    subscript(hash: ContentHash) -> [UInt8]? {
        state.withLock { state in
            guard let bytes = state.chunks[hash] else { return nil }
            state.order.removeAll { $0 == hash }
            state.order.append(hash)
            return bytes
        }
    }

    func insert(_ bytes: [UInt8], for hash: ContentHash) {
        state.withLock { state in
            guard state.chunks.updateValue(bytes, forKey: hash) == nil else { return }
            state.order.append(hash)
            state.bytes += bytes.count
            while state.bytes > Self.limitBytes, state.order.count > 1 {
                let oldest = state.order.removeFirst()
                state.bytes -= state.chunks.removeValue(forKey: oldest)?.count ?? 0
            }
        }
    }
}
