public import StoreBasics

/// Why a store did not do what it was asked. Each case is one that the protocol or a person answers
/// differently; the text is for `cloud status`.
public enum StoreError: Error, Equatable, Sendable {
    /// No answer was got because none could be asked for: nothing happened.
    case unreachable(String)
    /// The request went out and no believable answer came (time out, reset, 5xx): it may have happened.
    case unknownOutcome(String)
    /// A race that the store did not decide (409): ask again, the same key. Never "it exists".
    case undecided
    /// The store's clock differs from this machine's by so much that it refuses signatures; its date.
    case clockSkewed(StoreTime)
    /// Credentials are missing, wrong, or expired.
    case unauthorized(String)
    /// The credentials do not allow this, or the store is read-only.
    case forbidden(String)
    /// There is no such bucket or folder.
    case missing(String)
    /// The store does not know this kind of request (501), or cannot keep the contract: it may not be shared.
    case unsupported(String)
    /// The store takes no more bytes.
    case full(String)
    /// The bytes got are not those that were written, or the answer makes no sense.
    case invalidAnswer(String)
    /// The caller's task was cancelled; a write may have happened.
    case cancelled
}
