internal import Posix
package import SyncContent
package import SyncLog

/// Documents of an app that is about to leave the device together with all that it has in the cloud: nothing
/// lies there, nobody saw it go, and nothing can be put there.
///
/// The documents themselves stay where they are until the store knows that they are deleted.
package final class EmptyDisk: LocalDisk {
    private let wasAsked = Lock(false)

    package init() {}

    package var hasChanges: Bool { false }
    package var wakeAt: UInt64? { nil }
    package func takeChanges(limit: Int) -> LocalChanges {
        wasAsked.withLock { wasAsked in
            defer { wasAsked = true }
            return LocalChanges(everything: !wasAsked)
        }
    }
    package func look(at path: LocalPath) throws(LocalError) -> LocalItem? { nil }
    package func list(
        _ directory: LocalPath, being expected: Fingerprint?
    ) throws(LocalError) -> [LocalItem] {
        guard directory.names.isEmpty else { throw .gone }
        return []
    }
    package func departed(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint> { [] }
    package func read(
        _ path: LocalPath, expecting fingerprint: Fingerprint, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint { throw .gone }
    package func stage(as name: String) throws(LocalError) -> any StagedFile { throw .changed }
    package func makeDurable(_ directories: Set<LocalPath>) throws(LocalError) {}
    package func place(
        _ staged: any StagedFile, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes,
        displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint { throw .changed }
    package func make(
        _ content: SmallContent, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes
    ) throws(LocalError) -> Fingerprint { throw .changed }
    package func move(
        _ path: LocalPath, to destination: LocalPath, in directory: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint { throw .changed }
    package func remove(
        _ path: LocalPath, expecting: Fingerprint, displacedAs name: String
    ) throws(LocalError) { throw .changed }
    package func setAttributes(
        _ path: LocalPath, _ attributes: Attributes, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint { throw .changed }
    package func setFlag(at path: LocalPath) throws(LocalError) { throw .changed }
    package func takeDisplaced() throws(LocalError) -> [Displaced] { [] }
    package func look(atDisplaced name: String) throws(LocalError) -> Fingerprint? { nil }
    package func readDisplaced(
        _ displaced: Displaced, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) { throw .gone }
    package func isKeptBack(_ displaced: Displaced) throws(LocalError) -> Bool { false }
    package func keepDisplaced(
        _ staged: any StagedFile, _ attributes: Attributes
    ) throws(LocalError) -> Fingerprint { throw .changed }
    package func dropDisplaced(_ displaced: Displaced) throws(LocalError) {}
    package func bringBackParked() throws(LocalError) -> [BroughtBack] { [] }
    package func forgetBroughtBack(_ item: BroughtBack) throws(LocalError) {}
}
