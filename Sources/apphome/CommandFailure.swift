internal import CloudSync

/// What a person is told when a command cannot do its work: one line that says what, why, and what to do.
struct CommandFailure: Error, Codable, Equatable {
    let message: String
    /// 1, or a number that the command's contract names.
    var exitStatus: Int32 = 1

    init(_ message: String, exitStatus: Int32 = 1) {
        // A message is one line, whatever came in from outside.
        self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.exitStatus = exitStatus
    }

    static let signedOut = CommandFailure("this device is signed out; see: apphome cloud account set")

    /// Any error as something to tell a person.
    init(describing error: any Error) {
        self =
            error as? CommandFailure
            ?? CommandFailure(SyncTrouble(error)?.description ?? String(describing: error))
    }
}
