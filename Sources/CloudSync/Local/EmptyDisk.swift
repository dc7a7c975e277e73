internal import Posix

/// Documents of an app that is about to leave the device together with all that it has in the cloud: nothing
/// lies there, nobody saw it go, and nothing can be put there.
///
/// The documents themselves stay where they are until the store knows that they are deleted.
public final class EmptyDisk: LocalDisk {
    private let wasAsked = Lock(false)

    public init() {}

    public var wakeAt: UInt64? { nil }
    public func takeChanges() -> LocalChanges {
        wasAsked.withLock { wasAsked in
            defer { wasAsked = true }
            return LocalChanges(everything: !wasAsked)
        }
    }
    public func look(at path: LocalPath) throws(LocalError) -> LocalItem? { nil }
    public func list(_ directory: LocalPath) throws(LocalError) -> [LocalItem] {
        guard directory.names.isEmpty else { throw .gone }
        return []
    }
    public func departed(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint> { [] }
    public func read(
        _ path: LocalPath, expecting fingerprint: Fingerprint, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint { throw .gone }
    public func stage(as name: String) throws(LocalError) -> any StagedFile { throw .changed }
    public func makeDurable(_ directories: Set<LocalPath>) throws(LocalError) {}
    public func place(
        _ staged: any StagedFile, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes,
        displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint { throw .changed }
    public func make(
        _ content: SmallContent, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes
    ) throws(LocalError) -> Fingerprint { throw .changed }
    public func move(
        _ path: LocalPath, to destination: LocalPath, in directory: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint { throw .changed }
    public func remove(
        _ path: LocalPath, expecting: Fingerprint, displacedAs name: String
    ) throws(LocalError) { throw .changed }
    public func setAttributes(
        _ path: LocalPath, _ attributes: Attributes, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint { throw .changed }
    public func setFlag(at path: LocalPath) throws(LocalError) { throw .changed }
    public func takeDisplaced() throws(LocalError) -> [Displaced] { [] }
    public func look(atDisplaced name: String) throws(LocalError) -> Fingerprint? { nil }
    public func readDisplaced(
        _ displaced: Displaced, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) { throw .gone }
    public func isKeptBack(_ displaced: Displaced) throws(LocalError) -> Bool { false }
    public func keepDisplaced(
        _ staged: any StagedFile, _ attributes: Attributes
    ) throws(LocalError) -> Fingerprint { throw .changed }
    public func dropDisplaced(_ displaced: Displaced) throws(LocalError) {}
    public func bringBackParked() throws(LocalError) -> [BroughtBack] { [] }
    public func forgetBroughtBack(_ item: BroughtBack) throws(LocalError) {}
}
