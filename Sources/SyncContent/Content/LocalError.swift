/// What a local file or its disk answers in place of what was asked.
package enum LocalError: Error, Equatable, Sendable {
    /// Nothing is there.
    case gone
    /// Something else is there than was expected, or it changed meanwhile: look again.
    case changed
    /// Somebody may be writing: later.
    case inUse
    /// No room, or over a quota of the disk.
    case full
    /// Its bytes are not on this device.
    case dataless
    /// What the system call said.
    case failed(Int32)
    /// The disk is no more: the engine ends. Only the simulation's crashes say so.
    case ended

    /// What the disk answers; nil where that cannot be known now.
    /// - Throws: `.ended` alone.
    package static func ifKnown<Answer>(
        _ question: @autoclosure () throws(LocalError) -> Answer
    ) throws(LocalError) -> Answer? {
        do { return try question() } catch {
            if error == .ended { throw error }
            return nil
        }
    }
}
