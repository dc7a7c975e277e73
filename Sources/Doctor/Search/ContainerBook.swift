/// The containers of a device, by the UUIDs in their paths.
public struct ContainerBook: Sendable {
    public struct Entry: Sendable {
        /// `data`, `bundle` or `group`.
        let kind: String
        /// The app's or the group's identifier.
        let identifier: String
        let isCurrent: Bool

        public init(kind: String, identifier: String, isCurrent: Bool) {
            self.kind = kind
            self.identifier = identifier
            self.isCurrent = isCurrent
        }
    }

    private let entries: [ContainerID: Entry]

    public init(_ entries: [ContainerID: Entry]) { self.entries = entries }

    public var ids: Set<ContainerID> { Set(entries.keys) }

    /// What the UUID is of, as a part of a sentence.
    func text(_ id: ContainerID) -> String {
        guard let entry = entries[id] else { return "\(id.text), a container that is not of this device" }
        let time = entry.isCurrent ? "" : " that was, before an upgrade, a restore or a removal"
        return "\(id.text), the \(entry.kind) container of \(entry.identifier)\(time)"
    }
}
