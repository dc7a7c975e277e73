/// What a case's two outcomes are worth.
enum Verdict: Equatable {
    case same
    /// The outcomes are exactly those written for the kind.
    case exception(kind: String)
    case failed(why: String, control: String, mount: String)

    /// - Parameter expectation: what is written for the case, where it is an exception.
    init(control: String, mount: String, _ expectation: Exception.Expectation?) {
        guard let expectation else {
            self = control == mount ? .same : .failed(why: "outcomes differ", control: control, mount: mount)
            return
        }
        if !expectation.control.contains(control) {
            let why = "the control does not show what is written for \(expectation.kind)"
            self = .failed(why: why, control: control, mount: mount)
        } else if !expectation.mount.contains(mount) {
            let why = "the mount does not show what is written for \(expectation.kind)"
            self = .failed(why: why, control: control, mount: mount)
        } else {
            self = .exception(kind: expectation.kind)
        }
    }
}
