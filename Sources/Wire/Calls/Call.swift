public import Posix

/// What a client asks, together with how the answer to it is read: the two cannot go apart.
public struct Call<Reply>: Sendable {
    public let request: Request
    /// What the request speaks of, in its order.
    public let descriptors: [SharedDescriptor]
    /// How long the daemon may say nothing before its last answer; nil: as long as it likes.
    public let deadlineSeconds: Double?
    /// What comes before that answer.
    public let stream: AnswerStream
    private let read: @Sendable (Answer) -> Reply?

    init(
        _ request: Request, _ descriptors: [SharedDescriptor] = [], deadlineSeconds: Double? = nil,
        stream: AnswerStream = .none, read: @escaping @Sendable (Answer) -> Reply?
    ) {
        self.request = request
        self.descriptors = descriptors
        self.deadlineSeconds = deadlineSeconds
        self.stream = stream
        self.read = read
    }

    /// - Returns: nil where the answer is none that the request has.
    public func reply(_ answer: Answer) -> Reply? { read(answer) }
}

/// What a daemon sends before its last answer, or in its place.
public enum AnswerStream: Sendable {
    case none
    /// How far the work is, now and then.
    case progress
    /// Each answer is a reply, until the daemon ends.
    case events
}

/// For what takes no longer than looking into memory or the catalogue.
let quickSeconds = 60.0

extension Call where Reply == Void {
    /// A request that has nothing to answer but that it is done.
    static func doing(
        _ request: Request, _ descriptors: [SharedDescriptor] = [], deadlineSeconds: Double? = nil,
        stream: AnswerStream = .none
    ) -> Call {
        Call(request, descriptors, deadlineSeconds: deadlineSeconds, stream: stream) { answer in
            if case .done = answer { () } else { nil }
        }
    }
}

extension Call where Reply == [String] {
    /// A request that is done, with or without lines for the person.
    static func telling(
        _ request: Request, _ descriptors: [SharedDescriptor] = [], deadlineSeconds: Double? = nil,
        stream: AnswerStream = .none
    ) -> Call {
        Call(request, descriptors, deadlineSeconds: deadlineSeconds, stream: stream) { answer in
            switch answer {
            case .done: []
            case .note(let lines): lines
            default: nil
            }
        }
    }
}
