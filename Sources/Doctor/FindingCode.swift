/// What kind of mistake a finding is of. The raw values are part of the contract: people write them into what
/// their builds ignore, so one is never given another meaning.
public enum FindingCode: String, Sendable, CaseIterable, Codable {
    case containerPath = "CONTAINER-PATH"
    case caseNearMiss = "CASE-NEAR-MISS"
    case caseSaved = "CASE-SAVED"
    case refused = "REFUSED"
    case groupRefused = "GROUP-REFUSED"
    case flagLost = "FLAG-LOST"
    case outsideHome = "OUTSIDE-HOME"
    case bundleChanged = "BUNDLE-CHANGED"
    case nameCase = "NAME-CASE"
    case nameForm = "NAME-FORM"
    case nameBackslash = "NAME-BACKSLASH"
    case reCreatable = "RE-CREATABLE"
    case large = "LARGE"
    case exposed = "EXPOSED"
    case exposedLater = "EXPOSED-LATER"
    case homeDotFile = "HOME-DOTFILE"
    case purgeable = "PURGEABLE"
    case purgedMissed = "PURGED-MISSED"
    case backupSize = "BACKUP-SIZE"
    case preferencesFile = "PREFERENCES-FILE"
    case sharingHalf = "SHARING-HALF"
    case noUbiquity = "NO-UBIQUITY"
    case noKeyValueStore = "NO-KVS"
    case keyValuesFull = "KVS-FULL"
    case dataless = "DATALESS"
    case unexamined = "UNEXAMINED"

    public var severity: Severity { page.severity }
    public var title: String { page.title }
}

/// What is to be said of a code.
public struct CodePage: Sendable {
    public let severity: Severity
    /// One line, as a sentence about one finding would begin.
    public let title: String
    /// What iOS does.
    public let device: String
    /// Why that breaks the app. One sentence or two.
    public let why: String
    /// How to mend it. One sentence or two.
    public let fix: String
    /// Where the rule comes from.
    public let source: String
}
