/// The first message, from each side. Its form never changes.
public struct Hello: Codable, Equatable, Sendable {
    public var protocolNumber: Int
    public var build: String
    public var version: String
    /// What the daemon adds.
    public var deviceID: String?
    public var processID: Int32?
    /// Where the daemon's mounts are.
    public var mounts: [String]?
    /// Whether it has as many clients as it can serve: it says nothing more, and hangs up.
    public var isFull: Bool?

    public init(
        protocolNumber: Int = Hello.currentProtocol, build: String = BuildIdentity.current,
        version: String = BuildIdentity.version, deviceID: String? = nil, processID: Int32? = nil,
        mounts: [String]? = nil, isFull: Bool? = nil
    ) {
        self.protocolNumber = protocolNumber
        self.build = build
        self.version = version
        self.deviceID = deviceID
        self.processID = processID
        self.mounts = mounts
        self.isFull = isFull
    }

    /// Stands for the bytes of every request and answer: another number where any of them changes.
    public static let currentProtocol = 15

    /// Whether both sides may say everything to each other, and not only what never changes. Builds may
    /// differ: a newer command goes on with the daemon that is there.
    public func isSame(as other: Hello) -> Bool { protocolNumber == other.protocolNumber }
}

extension Hello {
    /// Why a client of another protocol is refused by this daemon.
    public func refusal(of client: Hello, device: String) -> CommandFailure {
        let here = BuildIdentity.shown(version: version, build: build)
        let there = BuildIdentity.shown(version: client.version, build: client.build)
        let places = mounts ?? []
        let remedy =
            places.isEmpty
            ? "let the commands that use it end first"
            : "apphome unmount \(places.map { shellQuoted($0) }.joined(separator: " ")) first"
        return CommandFailure("a daemon of version \(here) serves \(device), this is \(there): \(remedy)")
    }
}
