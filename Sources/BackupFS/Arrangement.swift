internal import Backup

/// How a mount arranges what a backup holds.
package enum Arrangement: String, Sendable, CaseIterable {
    /// As it lies on the device.
    case path
    /// A directory for each domain.
    case domain
    /// As a backup that is not encrypted lies on a disk, for tools that know only those.
    case id

    func arrange(_ reader: BackupReader, in state: inout ContentsState) throws(BackupError) {
        if self == .id { return try arrangeByIdentifier(reader, in: &state) }
        var domains = try reader.domains { state.refuse($0.name, $0.reason) }
        let others = domains.partition { !DomainPlace.comesFirst($0) }
        for domain in domains[..<others] + domains[others...].sorted() {
            let isShown = DomainPlace.isName(domain)
            if let place = self == .path ? DomainPlace.names(of: domain) : isShown ? [domain] : nil {
                state.place(.domain(domain), at: place)
            } else {
                state.refuse(domain, "is no name that a directory can have")
                state.place(.domain(domain), at: DomainPlace.namesOfRefused(domain))
            }
        }
    }

    private func arrangeByIdentifier(
        _ reader: BackupReader, in state: inout ContentsState
    ) throws(BackupError) {
        for number in UInt8.min...UInt8.max {
            let digits = FileIdentifier.folder(number)
            state.place(.identifiers(digits), at: [digits])
        }
        state.make(.list(reader.list, sizeBytes: try reader.listBytes()), named: "Manifest.db")
        for (name, bytes) in try reader.plainPropertyLists() { state.make(.bytes(bytes), named: name) }
    }
}
