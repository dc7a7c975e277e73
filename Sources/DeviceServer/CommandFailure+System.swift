internal import SystemPackage
internal import Wire

extension CommandFailure {
    /// A failed system call while doing `what` ("copy letter"): a full disk is told with what to do.
    init(cannot what: String, _ errno: Errno) {
        switch errno {
        case .noSpace, .diskQuotaExceeded:
            self.init("cannot \(what): no space left there; free some and try again")
        default: self.init("cannot \(what): \(errno)")
        }
    }
}
