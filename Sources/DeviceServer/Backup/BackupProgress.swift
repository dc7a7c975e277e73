internal import Posix
internal import SystemPackage

/// Told how many bytes of a backup were written or read so far.
struct BackupProgress {
    private let meter: WorkMeter
    private var before: Int64 = 0

    init(_ meter: WorkMeter) { self.meter = meter }

    /// - Throws: `CancellationError` where nobody waits for the work any more.
    func callAsFunction(_ bytes: Int64) throws {
        do { try meter.show(before.addingSaturated(bytes)) } catch { throw CancellationError() }
    }

    /// So many bytes more.
    /// - Throws: as above.
    func add(_ bytes: UInt64) throws {
        do { try meter.add(Int64(clamping: bytes)) } catch { throw CancellationError() }
    }

    /// So much will be done in all.
    func expect(_ bytes: Int64) { meter.totalBytes = bytes }

    /// That of a part of the work: so many bytes came before it.
    func after(_ bytes: Int64) -> BackupProgress {
        var part = self
        part.before = before.addingSaturated(bytes)
        return part
    }

    /// Whether the work is still wanted, where there is nothing new to tell.
    func check() throws {
        do { try meter.showAgain() } catch { throw CancellationError() }
    }
}
