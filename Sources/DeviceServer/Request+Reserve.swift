internal import Wire

extension Request {
    /// Whether the device's reserve is lent while this is done: for what gives room back, for what a person
    /// looks with meanwhile, and for mounting, after which `rm` gives it back. Not for what brings files.
    var usesReserve: Bool {
        switch self {
        case .list, .info, .unmount, .uninstall, .prepareMount, .attachMount, .settings, .set, .sharingApps,
            .shareList, .shareRemove, .doctorFacts, .purge, .beginRun, .endRun, .cloud, .seenAt, .events,
            .findings, .clearFindings, .leftOutside, .backup(.forgetUndo):
            true
        case .install, .new, .groupPlace, .awaitEnd, .shareGet, .shareRead, .sharePut, .copyIn, .copyOut,
            .watch, .preferences, .keyValues, .backup:
            false
        }
    }
}
