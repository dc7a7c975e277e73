internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// What a client has opened to be written to: perhaps a pipe that somebody reads slowly, or no longer.
struct ClientOutput {
    private let target: SharedDescriptor
    /// The client's connection, on which it says nothing meanwhile: readable means that it is gone.
    private let connection: Int32
    private let pieceBytes: Int

    /// A pipe that can be written to takes so much without waiting (pipe(7)).
    private static let pipePieceBytes = 4096
    /// So often it is looked whether the client is still there.
    static let lookSeconds = 1.0

    init(_ target: SharedDescriptor, of connection: Int32) {
        self.target = target
        self.connection = connection
        var details = stat()
        let isFile = fstat(target.raw, &details) == 0 && details.st_mode & S_IFMT == S_IFREG
        pieceBytes = isFile ? .max : Self.pipePieceBytes
    }

    /// Writes all, and waits for the reader as long as the client does.
    /// - Throws: EPIPE where nobody reads it any more, ECANCELED where the client is gone, what write(2)
    ///   answers.
    func write(_ bytes: [UInt8]) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = Deadline(seconds: Self.lookSeconds)
            guard try Waiting.wait(for: [target.raw], writable: true, until: next)[0] else {
                try checkClient()
                continue
            }
            let piece = rest.prefix(pieceBytes)
            let count = piece.withUnsafeBytes { lx_write(target.raw, $0.baseAddress, UInt64($0.count)) }
            switch Errno(rawValue: Int32(clamping: -min(count, 0))) {
            case Errno(rawValue: 0): rest = rest.dropFirst(Int(count))
            // Another one may have written, where the client's descriptor does not wait.
            case .resourceTemporarilyUnavailable, .interrupted: continue
            case let errno: throw errno
            }
        }
    }

    /// - Throws: ECANCELED where it is gone.
    func checkClient() throws(Errno) {
        if try Waiting.wait(for: [connection], until: Deadline(seconds: 0))[0] { throw .canceled }
    }
}
