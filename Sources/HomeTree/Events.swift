internal import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

/// Something that a developer should know about: a device behaves in this way, and a Mac does not.
public struct Event: Sendable {
    public enum Kind: Sendable {
        /// A look-up failed, and an item whose name differs only by case is there.
        case caseNearMiss(asked: String, stored: String)
        /// A look-up succeeded only because names are compared as on a Mac; on a device it would fail.
        case caseSaved(asked: String, stored: String)
        /// So many names were not examined: look-ups that may have failed for their case, or flags that may
        /// be lost.
        case unexamined(count: Int)
        /// The name led to an item that no backup takes, by a skip-backup flag of its own or above it, and
        /// leads to one without now.
        case skipBackupLost(name: String)
        /// A look-up failed of what a purge has taken; once for each item.
        case purgedMissed(name: String)
        /// A rule refused an operation, which failed with that error.
        case refused(operation: String, name: String, rule: String, error: Errno)
    }
    public let kind: Kind
    /// The directory where it happened, from the home; "" is the home itself.
    public let directory: String
    /// Who did it; nil: the daemon itself, or it cannot be known.
    public let program: Program?
}

/// Who asks a tree for something.
public enum Asker: Sendable {
    /// The daemon itself, for a command or for sync.
    case daemon
    /// A program, by the number of its thread as this process sees it; 0 where that is not known.
    case thread(Int32)

    /// The program as it is now, before it has its answer. Reads what the system says of it: for events only.
    var program: Program? {
        switch self {
        case .daemon: nil
        case .thread(let number): Program(ofThread: number)
        }
    }
}

/// Takes events; called from threads that serve requests, so it must not wait.
public protocol EventSink: AnyObject, Sendable {
    func record(_ event: Event)
    /// Whether a purge took what a program did not find just now; then it is an event, once. Asked with no
    /// lock held.
    /// - Parameter path: from the tree's top; to be called only where that is needed to tell.
    func hasPurged(_ path: () -> String) -> Bool
}

extension EventSink {
    public func hasPurged(_ path: () -> String) -> Bool { false }
}

extension HomeTree {
    /// Tells the watchers that a rule refused something.
    /// - Parameter error: what the caller gets.
    public func recordRefusal(
        of operation: String, _ name: String, in directory: InodeNumber, rule: String, error: Errno,
        by asker: Asker
    ) {
        let kind = Event.Kind.refused(operation: operation, name: name, rule: rule, error: error)
        outlet.record(kind, at: directory, by: asker, of: self)
    }

    /// Waits until the events of what happened before are recorded, at most so long: some near misses come a
    /// moment later, and that a skip-backup flag is lost is known once nobody has set it again for 2 s.
    public func waitForEvents(timeoutSeconds: Double) {
        outlet.waitForEvents(of: self, timeoutSeconds: timeoutSeconds)
    }

    /// Records the events of what happened before, where nobody uses the tree any more, and who asks next is
    /// to know all. Takes as long as that takes, and in most cases no time: a flag that is missing now is
    /// lost, for nobody will set it again.
    public func finishEvents(timeoutSeconds: Double) {
        outlet.finishEvents(of: self, timeoutSeconds: timeoutSeconds)
    }

    /// The inode's path from its root, without a leading slash; for people.
    public func path(of number: InodeNumber) -> String {
        tables.withLock { $0.shownPath(of: number) }
    }
}

extension HomeTree {
    fileprivate func path(of name: FileName, in directory: InodeNumber) -> String {
        let above = path(of: directory)
        return above.isEmpty ? name.text : "\(above)/\(name.text)"
    }
}

/// Where a tree's events go, and the search for near misses.
final class EventOutlet: Sendable {
    private let sink: (any EventSink)?
    private let misses: NearMissSearch?
    private let flags: LostFlags?

    init(sink: (any EventSink)?) {
        self.sink = sink
        misses = sink.map { NearMissSearch(sink: $0) }
        flags = sink.map { LostFlags(sink: $0) }
    }

    func record(_ kind: Event.Kind, at directory: InodeNumber, by asker: Asker, of tree: HomeTree) {
        sink?.record(Event(kind: kind, directory: tree.path(of: directory), program: asker.program))
    }

    func waitForEvents(of tree: HomeTree, timeoutSeconds: Double) {
        let deadline = Deadline(seconds: timeoutSeconds)
        flags?.waitUntilExamined(deadline: deadline)
        misses?.waitUntilExamined(in: tree, deadline: deadline)
    }

    func finishEvents(of tree: HomeTree, timeoutSeconds: Double) {
        flags?.examineAll(of: tree)
        misses?.waitUntilExamined(in: tree, deadline: Deadline(seconds: timeoutSeconds), evenIfIdle: false)
    }

    /// Whether somebody wants to know of lost flags.
    var examinesFlags: Bool { flags != nil }

    /// Something has a name. May be called with the directory's lock held.
    func appeared(_ name: FileName, in directory: InodeNumber, of tree: HomeTree) {
        flags?.appeared(name, in: directory, of: tree)
    }

    /// What the name leads to now may lack a skip-backup flag that the name had. Called with no lock held.
    func mayLackFlag(_ name: FileName, in directory: InodeNumber, by asker: Asker, of tree: HomeTree) {
        flags?.suspect(name, in: directory, by: asker, of: tree)
    }

    /// Whether near misses are events: the names of directories are kept for them then.
    func examinesMisses(under policy: NamePolicy) -> Bool { policy == .device && misses != nil }

    /// A look-up found nothing.
    /// - Returns: whether a kernel may remember that.
    func missed(_ name: FileName, in directory: InodeNumber, by asker: Asker, of tree: HomeTree) -> Bool {
        if case .thread = asker, let sink, sink.hasPurged({ tree.path(of: name, in: directory) }) {
            record(.purgedMissed(name: name.text), at: directory, by: asker, of: tree)
        }
        guard tree.policy == .device, let misses else { return true }
        return misses.examine(name, in: directory, by: asker, of: tree)
    }
}
