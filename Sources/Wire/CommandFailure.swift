/// What a person is told when a command cannot do its work: one line that says what, why, and what to do.
public struct CommandFailure: Error, Codable, Equatable {
    public let message: String
    /// 1, or a number that the command's contract names.
    public var exitStatus: Int32

    public init(_ message: String, exitStatus: Int32 = 1) {
        // A message is one line, whatever came in from outside.
        self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.exitStatus = exitStatus
    }

    /// Any error as something to tell a person.
    public init(describing error: any Error) {
        self = error as? CommandFailure ?? CommandFailure(String(describing: error))
    }

    /// The daemon's answer is none that the request has: a defect of ours, told apart from a refusal.
    public static var unexpectedReply: CommandFailure {
        CommandFailure("the daemon gave an answer to another question; end it and try again")
    }
}
