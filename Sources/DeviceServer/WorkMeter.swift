internal import Posix
internal import SystemPackage
internal import Wire

/// Tells a client how far its work is, now and then, and finds out from that whether it is still wanted.
final class WorkMeter {
    private let send: (Progress) throws(Errno) -> Void
    private var next: Deadline
    /// How much is done, and how much there is to do where that is known.
    private var progress = Progress(bytesDone: 0)
    var totalBytes: Int64? {
        get { progress.totalBytes }
        set { progress.totalBytes = newValue }
    }

    private static let pauseSeconds = 0.25

    /// - Parameter send: throws where nobody waits for the work any more.
    init(_ send: @escaping (Progress) throws(Errno) -> Void) {
        self.send = send
        next = Deadline(seconds: Self.pauseSeconds)
    }

    /// So many bytes more are done.
    /// - Throws: ECANCELED where nobody waits for the work any more.
    func add(_ count: Int64) throws(Errno) { try show(progress.bytesDone.addingSaturated(count)) }

    /// So many bytes are done in all.
    /// - Throws: ECANCELED where nobody waits for the work any more.
    func show(_ bytes: Int64) throws(Errno) {
        progress.bytesDone = bytes
        progress.totalBytes = progress.totalBytes.map { max($0, bytes) }
        try show(progress)
    }

    /// What was told last.
    /// - Throws: ECANCELED where nobody waits for the work any more.
    func showAgain() throws(Errno) { try show(progress) }

    /// - Throws: ECANCELED where nobody waits for the work any more.
    func show(_ newest: Progress) throws(Errno) {
        progress = newest
        // Not for each of many small files.
        guard next.hasPassed else { return }
        next = Deadline(seconds: Self.pauseSeconds)
        try send(progress)
    }
}
