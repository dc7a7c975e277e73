internal import ArgumentParser
internal import Wire

/// The store that a view is taken from, in place of the device; such a command makes a device that is not
/// there, for this machine may have none.
struct StoreOriginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Straight from this cloud store, on a machine without the app: file:///… or s3://…",
            valueName: "url"))
    var from: String?
    @Option(help: ArgumentHelp("Take the store's keys from this profile.", valueName: "name"))
    var profile: String?

    func arguments() throws -> CloudAccountArguments? {
        try from.map { try CloudAccountArguments($0, profile: profile) }
    }
}
