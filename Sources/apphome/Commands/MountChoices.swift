public import ArgumentParser
public import FuseKit

// The command line takes the mount's choices by the names that they have in FuseKit.

extension TransportChoice: ExpressibleByArgument {}
extension DataPath: ExpressibleByArgument {}
