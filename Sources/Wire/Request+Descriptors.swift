extension Request {
    /// How many descriptors come with it, each for what its case says. The daemon looks once, before it does
    /// anything: what a request speaks of is then there.
    public var descriptorCount: Int {
        switch self {
        case .install(let arguments): arguments.hasEntitlements ? 2 : 1
        case .new(let arguments): (arguments.hasPropertyList ? 1 : 0) + (arguments.hasContent ? 1 : 0)
        case .prepareMount, .attachMount, .shareGet, .shareRead, .sharePut, .copyIn, .copyOut: 1
        case .cloud(let request): request.descriptorCount
        case .backup(let request): request.descriptorCount
        case .list, .info, .unmount, .uninstall, .groupPlace, .seenAt, .awaitEnd, .settings, .set,
            .sharingApps, .shareList, .shareRemove, .watch, .events, .findings, .clearFindings,
            .leftOutside, .preferences, .keyValues, .doctorFacts, .purge, .beginRun, .endRun:
            0
        }
    }
}

extension CloudRequest {
    var descriptorCount: Int {
        switch self {
        case .cat: 1
        case .account, .setAccount, .probe, .copyAccount, .turn, .path, .status, .sync, .pause, .resume,
            .devices, .forget, .list, .remove, .removeForEver, .log, .restore, .conflicts, .resolve, .check,
            .collect, .takeBack, .quota, .settle:
            0
        }
    }
}

extension BackupRequest {
    var descriptorCount: Int {
        switch self {
        case .create, .createPackage, .restore, .restorePackage: 1
        case .measure, .createSnapshot, .listSnapshots, .restoreSnapshot, .undoRestore, .reset, .forgetUndo,
            .home:
            0
        }
    }
}
