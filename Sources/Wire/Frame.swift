public import Posix

/// One message on the wire: four bytes of length, most significant first, then that many bytes of JSON.
/// Descriptors travel with it as SCM_RIGHTS.
public struct Frame: Sendable {
    public var body: [UInt8]
    public var descriptors: [SharedDescriptor]

    public init(body: [UInt8], descriptors: [SharedDescriptor] = []) {
        self.body = body
        self.descriptors = descriptors
    }
}

/// How much one side takes from the other, which it does not trust.
public struct FrameLimits: Sendable {
    public var bodyBytes: Int
    public var descriptors: Int
    /// From a frame's first byte to its last.
    public var frameSeconds: Double

    public init(bodyBytes: Int, descriptors: Int, frameSeconds: Double) {
        self.bodyBytes = bodyBytes
        self.descriptors = descriptors
        self.frameSeconds = frameSeconds
    }

    /// What the daemon takes from a client. A value of a key-value store has 1 MiB, and is longer as JSON.
    public static let request = FrameLimits(bodyBytes: 8 << 20, descriptors: 4, frameSeconds: 10)
    /// What a client takes from its daemon; lists of many items are long.
    public static let reply = FrameLimits(bodyBytes: 64 << 20, descriptors: 4, frameSeconds: 60)
}

/// Puts frames together from the bytes as they come.
struct FrameAssembler {
    enum Violation: Error, Equatable {
        case tooLong(bytes: Int)
        case empty
        case tooManyDescriptors
    }

    private let limits: FrameLimits
    private var bytes: [UInt8] = []
    private var descriptors: [SharedDescriptor] = []

    init(limits: FrameLimits) { self.limits = limits }

    /// Whether a frame has begun and not ended.
    var isInsideFrame: Bool { !bytes.isEmpty || !descriptors.isEmpty }

    /// Bytes that may be read now without reading into the next frame.
    var wantedBytes: Int {
        bytes.count < 4 ? 4 - bytes.count : 4 + length - bytes.count
    }

    /// Takes the next bytes and the descriptors that came with them.
    /// - Returns: the frame, when it is complete.
    mutating func take(_ more: ArraySlice<UInt8>, _ passed: [SharedDescriptor]) throws(Violation) -> Frame? {
        bytes += more
        descriptors += passed
        if descriptors.count > limits.descriptors { throw .tooManyDescriptors }
        guard bytes.count >= 4 else { return nil }
        if length > limits.bodyBytes { throw .tooLong(bytes: length) }
        if length == 0 { throw .empty }
        guard bytes.count == 4 + length else { return nil }
        defer { (bytes, descriptors) = ([], []) }
        return Frame(body: Array(bytes[4...]), descriptors: descriptors)
    }

    private var length: Int { bytes[..<4].reduce(0) { $0 << 8 | Int($1) } }
}

extension Frame {
    /// The bytes that stand for it on the wire.
    public var encoded: [UInt8] {
        let length = UInt32(body.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + body
    }
}
