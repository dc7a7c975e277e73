public import SystemPackage

extension Errno {
    /// What C calls it (`EPERM`), for who looks a refusal up; a number where that is none of those that a
    /// home's rules answer.
    public var symbol: String {
        switch self {
        case .notPermitted: "EPERM"
        case .permissionDenied: "EACCES"
        case .illegalByteSequence: "EILSEQ"
        case .fileNameTooLong: "ENAMETOOLONG"
        default: "errno \(rawValue)"
        }
    }
}
