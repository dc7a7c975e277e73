internal import FoundationEssentials
internal import Posix
internal import SystemPackage
internal import Wire

/// A mount as it is remembered on disk, so that its end by a crash is known.
struct MountRecord: Codable, Equatable {
    var app: String
    var bundleID: String
    var dir: String
    var kind: MountKind
    var source: String
    /// The device number of the mount, `major:minor`.
    var deviceNumber: String
    /// When its end was noticed; nil while it is believed to be mounted.
    var crashed: String?
    /// The kernel's run in which it was mounted; nil in records of before that was kept.
    var boot: String?
    /// Whether its end was one of the whole machine.
    var endedByRestart: Bool?
    /// The URL of the store that it shows; nil: this device.
    var from: String?
    /// The group that it shows; nil: the app.
    var group: String?

    var report: CrashReport? {
        crashed.map {
            CrashReport(
                app: app, dir: dir, kind: kind, time: $0, isRestart: endedByRestart ?? false, from: from,
                group: group)
        }
    }

    /// Whose files it may have left programs to write.
    var treeKey: String? {
        switch kind {
        case .home: bundleID
        case .group, .groupView: group.map { TreeSubject.key(ofGroup: $0) }
        case .share, .bundle, .files, .device: nil
        }
    }
}

/// What the device remembers of its mounts from one daemon to the next, in `run/mounts.json`.
///
/// A mount stands there from before it is usable until it has ended well. What a starting daemon finds
/// believed to be mounted has therefore ended by a crash.
final class MountRecords: Sendable {
    private static let fileName = "mounts.json"

    private let folder: RunFolder
    private let reserve: SpaceReserve
    private let log: DaemonLog
    /// Guards the records and their file: held while the file is written, so that the newest state stays.
    private let records: Lock<[MountRecord]>

    init(folder: RunFolder, reserve: SpaceReserve, log: DaemonLog) {
        self.folder = folder
        self.reserve = reserve
        self.log = log
        let content = folder.read(Self.fileName)
        records = Lock(
            content.flatMap { try? JSONDecoder().decode([MountRecord].self, from: Data($0)) } ?? [],
            rank: .mountRecords)
    }

    /// Notes all that were believed to be mounted as crashed now.
    /// - Returns: those.
    func noteCrashes() -> [MountRecord] {
        let now = Date().formatted(.iso8601)
        return change { records in
            let crashed = records.filter { $0.crashed == nil }
            for index in records.indices where records[index].crashed == nil {
                records[index].crashed = now
                records[index].endedByRestart =
                    records[index].boot.map { $0 != PossiblyWritten.currentBoot } ?? false
            }
            return crashed
        }
    }

    /// Adds a mount; forgets crashes of the same view of the app, and whatever was at the same directory.
    func add(_ record: MountRecord) {
        change { records in
            records.removeAll {
                ($0.bundleID == record.bundleID && $0.kind == record.kind && $0.group == record.group
                    && $0.from == record.from && $0.crashed != nil)
                    || $0.dir == record.dir
            }
            records.append(record)
        }
    }

    /// Forgets a mount that has ended; another one may be at its directory by now.
    func remove(_ record: MountRecord) { change { records in records.removeAll { $0 == record } } }

    /// Forgets what was mounted, or crashed, at `directory`.
    func remove(directory: String) {
        change { records in records.removeAll { $0.dir == directory } }
    }

    /// Forgets the crashes of an app that is no more.
    func forget(bundleID: String) {
        change { records in records.removeAll { $0.bundleID == bundleID && $0.crashed != nil } }
    }

    var crashes: [MountRecord] { records.withLock { $0.filter { $0.crashed != nil } } }

    @discardableResult
    private func change<R>(_ body: (inout [MountRecord]) -> R) -> R {
        records.withLock { records in
            let before = records
            let result = body(&records)
            if records != before { save(records) }
            return result
        }
    }

    private func save(_ records: [MountRecord]) {
        guard !records.isEmpty else { return folder.remove(Self.fileName) }
        do {
            let content = Array(try JSONEncoder().encode(records))
            // A mount's end is noted outside of any command.
            try reserve.whileLent { () throws(Errno) in try folder.write(Self.fileName, content) }
        } catch {
            log.write("cannot remember the mounts: \(error)")
        }
    }
}
