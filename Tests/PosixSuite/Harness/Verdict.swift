/// What a case's two outcomes are worth.
enum Verdict: Equatable {
    case same
    /// The outcomes are exactly those written for the kind.
    case exception(kind: String)
    case failed(why: String, control: String, mount: String)

    /// - Parameter expectation: what is written for the case, where it is an exception.
    init(control: String, mount: String, _ expectation: Exception.Expectation?) {
        if let expectation {
            let objection = expectation.objection(plain: control, mount: mount)
            self =
                objection.map { .failed(why: $0, control: control, mount: mount) }
                ?? .exception(kind: expectation.kind)
        } else if control == mount {
            self = .same
        } else {
            self = .failed(why: "outcomes differ", control: control, mount: mount)
        }
    }
}
