/// Why bytes from outside are not what they should be. Never a trap, whatever they are.
package enum CodingError: Error, Equatable, Sendable {
    /// They end too early.
    case truncated
    /// More follows than there should be.
    case trailing
    /// Another encoding of the same value is the only one allowed (RFC 8949, 4.2).
    case notCanonical
    /// Something else should stand here.
    case unexpected
    /// Longer, more, or deeper than the format allows.
    case tooLarge
    /// A value that no honest writer makes; which.
    case invalid(String)
}
