public import ArgumentParser
public import Doctor
public import FuseKit
public import SandboxRules
public import Wire

// The command line takes some choices by the names that they have in other rooms.

extension TransportChoice: ExpressibleByArgument {}
extension DataPath: ExpressibleByArgument {}
extension LeftDocuments: ExpressibleByArgument {}
extension AppEnvironment.Kind: ExpressibleByArgument {}
extension Severity: ExpressibleByArgument {}

/// How a mount's requests and contents travel; the same for every kind of mount.
struct TravelOptions: ParsableArguments {
    @Option(help: "How requests travel: ring is faster and wants enable-ring, see apphome(1); auto takes it.")
    var transport = TransportChoice.auto
    @Option(
        help: "How contents travel: passthrough, by the kernel alone, needs root; auto takes it where it can."
    )
    var data = DataPath.auto

    func apply(to arguments: inout MountArguments) {
        arguments.transport = transport.rawValue
        arguments.data = data.rawValue
    }
}
