internal import FoundationEssentials
internal import Posix
internal import Wire

/// The apps whose files are possibly written past the daemon: their homes' mounts ended by a crash, which
/// leaves programs the files that the kernel opened for them. In `run/possibly-written.json`, for later
/// daemons.
///
/// It ends when no file is written any more, or with the boot: no program outlives that.
final class PossiblyWritten: Sendable {
    private static let fileName = "possibly-written.json"

    private struct Content: Codable, Equatable {
        var boot: String
        var bundleIDs: Set<String>
    }

    private let folder: RunFolder
    private let log: DaemonLog
    /// Held while the file is written, so that the newest state stays.
    private let content: Lock<Content>

    /// - Parameter boot: names this run of the machine; what another one left is forgotten.
    init(folder: RunFolder, boot: String = PossiblyWritten.currentBoot, log: DaemonLog) {
        self.folder = folder
        self.log = log
        let known = folder.read(Self.fileName)
            .flatMap { try? JSONDecoder().decode(Content.self, from: Data($0)) }
        let isOfThisBoot = known?.boot == boot
        content = Lock(
            Content(boot: boot, bundleIDs: isOfThisBoot ? known?.bundleIDs ?? [] : []), rank: .leaf)
    }

    func contains(_ bundleID: String) -> Bool { content.withLock { $0.bundleIDs.contains(bundleID) } }

    func add(_ bundleIDs: some Sequence<String>) { change { $0.formUnion(bundleIDs) } }

    /// Nobody writes the app's files any more.
    func remove(_ bundleID: String) { change { $0.remove(bundleID) } }

    private func change(_ body: (inout Set<String>) -> Void) {
        content.withLock { content in
            let before = content
            body(&content.bundleIDs)
            if content != before { save(content) }
        }
    }

    private func save(_ content: Content) {
        guard !content.bundleIDs.isEmpty else { return folder.remove(Self.fileName) }
        do {
            try folder.write(Self.fileName, Array(try JSONEncoder().encode(content)))
        } catch {
            log.write("cannot remember whose files are possibly written: \(error)")
        }
    }

    /// "" where the kernel does not say: then nothing is forgotten.
    static var currentBoot: String { systemText("/proc/sys/kernel/random/boot_id") ?? "" }
}
