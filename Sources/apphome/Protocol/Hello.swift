/// The first message, from each side. Its form never changes.
struct Hello: Codable, Equatable {
    var protocolNumber = Hello.currentProtocol
    var build = BuildIdentity.current
    var version = BuildIdentity.version
    /// What the daemon adds.
    var deviceID: String?
    var processID: Int32?
    /// Where the daemon's mounts are.
    var mounts: [String]?
    /// Whether it has as many clients as it can serve: it says nothing more, and hangs up.
    var isFull: Bool?

    /// Stands for the bytes of every request and answer: another number where any of them changes.
    static let currentProtocol = 2

    /// Whether both sides may say everything to each other, and not only what never changes. Builds may
    /// differ: a newer command goes on with the daemon that is there.
    func isSame(as other: Hello) -> Bool { protocolNumber == other.protocolNumber }
}

extension Hello {
    /// Why a client of another protocol is refused by this daemon.
    func refusal(of client: Hello, device: String) -> CommandFailure {
        let here = BuildIdentity.shown(version: version, build: build)
        let there = BuildIdentity.shown(version: client.version, build: client.build)
        let places = mounts ?? []
        let remedy =
            places.isEmpty
            ? "let the commands that use it end first"
            : "apphome unmount \(places.joined(separator: " ")) first"
        return CommandFailure("a daemon of version \(here) serves \(device), this is \(there): \(remedy)")
    }
}
