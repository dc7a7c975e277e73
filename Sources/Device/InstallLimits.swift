/// How much a bundle from outside may hold; what is past it is refused.
struct InstallLimits: Sendable {
    /// Directories below the bundle's own.
    var depth = 64
    /// Files, directories and links together.
    var entries = 500_000
    /// An archive may unfold to this many times its size, beyond `archiveFloorBytes`: real apps stay under
    /// 20.
    var archiveRatio: Int64 = 200
    var archiveFloorBytes: Int64 = 256 << 20
    /// So much stays free where the device is: its catalogue, and the other apps, go on writing.
    var reserveBytes: UInt64 = 64 << 20
    /// The profile that carries entitlements.
    var profileBytes = 4 << 20
}
