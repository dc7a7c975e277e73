internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Something that a developer should know about: a device behaves in this way, and a Mac does not.
public struct Event: Sendable {
    public enum Kind: Sendable {
        /// A look-up failed, and an item whose name differs only by case is there.
        case caseNearMiss(asked: String, stored: String)
        /// A look-up succeeded only because names are compared as on a Mac; on a device it would fail.
        case caseSaved(asked: String, stored: String)
        /// A file with a skip-backup flag was replaced by one without.
        case skipBackupLost(name: String)
        /// A rule refused an operation.
        case refused(operation: String, name: String, rule: String)
    }
    public let kind: Kind
    /// The directory where it happened, from the home; "" is the home itself.
    public let directory: String
}

/// Takes events; called from threads that serve requests, so it must not wait.
public protocol EventSink: AnyObject, Sendable {
    func record(_ event: Event)
}

extension HomeTree {
    /// Tells the watchers that a rule refused something.
    public func recordRefusal(of operation: String, _ name: String, in directory: InodeNumber, rule: String) {
        outlet.record(.refused(operation: operation, name: name, rule: rule), at: directory, of: self)
    }

    /// Waits until the events of what happened before are recorded: near misses come a moment later. At most
    /// so long.
    public func waitForEvents(timeoutSeconds: Double) { outlet.waitForEvents(timeoutSeconds: timeoutSeconds) }

    /// The inode's path from its root, without a leading slash; for people.
    public func path(of number: InodeNumber) -> String {
        tables.withLock { $0.shownPath(of: number) }
    }
}

/// Where a tree's events go, and the search for near misses, which is done off the request path.
final class EventOutlet: Sendable {
    private let sink: (any EventSink)?
    private let misses: NearMissSearch?

    init(sink: (any EventSink)?) {
        self.sink = sink
        misses = sink.map { NearMissSearch(sink: $0) }
    }

    func record(_ kind: Event.Kind, at directory: InodeNumber, of tree: HomeTree) {
        sink?.record(Event(kind: kind, directory: tree.path(of: directory)))
    }

    func waitForEvents(timeoutSeconds: Double) { misses?.waitUntilSearched(timeoutSeconds: timeoutSeconds) }

    /// A look-up found nothing.
    func missed(_ name: FileName, in directory: InodeNumber, of tree: HomeTree) {
        if tree.policy == .device { misses?.add(name, in: directory, of: tree) }
    }
}
