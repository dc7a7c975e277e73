internal import FuseKit
internal import Posix
internal import SystemPackage

/// A READ that is answered later, once: by the first answer that comes.
final class PendingRead: Sendable {
    /// nil once the answer was sent.
    private let reply: Lock<ReadReply?>

    init(_ reply: consuming ReadReply) {
        reply.keep()
        self.reply = Lock(reply)
    }

    func answer(_ result: Result<[UInt8], Errno>) {
        guard let reply = reply.withLock({ $0.take() }) else { return }
        switch result {
        case .success(let bytes): reply.bytes(bytes)
        case .failure(let errno): reply.error(errno)
        }
    }
}
