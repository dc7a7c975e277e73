internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Finds out which failed look-ups failed only for their case, on a thread of its own.
///
/// Misses are common (every creation begins with one), so they are gathered for a moment and searched a
/// directory at a time; what comes too fast is dropped. Nothing runs while nothing is missed.
final class NearMissSearch: Sendable {
    private let sink: any EventSink
    /// No gate: a miss is a request's business, and must not wake the thread that gathers.
    private let queue = Lock(Queue())

    private struct Queue {
        var misses: [Miss] = []
        var isRunning = false
    }

    private struct Miss: Sendable {
        let directory: InodeNumber
        let generation: UInt64
        let name: [UInt8]
        let time: Int64
    }

    /// Misses that are kept; more would only repeat themselves.
    private static let capacity = 256
    /// How long misses are gathered, so that a burst is searched once.
    private static let gatherSeconds = 0.2...2.0
    /// Gathering lasts so many times as long as the last search did: large directories that are filled
    /// cost a twentieth of one CPU at most.
    private static let gatherPerSearch = 20.0

    init(sink: any EventSink) { self.sink = sink }

    func add(_ name: FileName, in directory: InodeNumber, of tree: HomeTree) {
        if queue.withLock({ $0.misses.count >= Self.capacity }) { return }
        let miss = Miss(
            directory: directory, generation: tree.generation(of: directory), name: Array(name.bytes),
            time: lx_realtime_nanoseconds())
        let starts = queue.withLock { queue -> Bool in
            queue.misses.append(miss)
            defer { queue.isRunning = true }
            return !queue.isRunning
        }
        if starts { start(tree) }
    }

    private func start(_ tree: HomeTree) {
        do throws(Errno) {
            try NativeThread(name: "near-miss") { self.run(tree) }.detach()
        } catch {
            queue.withLock { queue in
                queue.misses = []
                queue.isRunning = false
            }
        }
    }

    /// Gathers and searches until nothing is missed any more; the tree stays for as long.
    // Not a weak reference: it would slow down every other use of the tree for good.
    private func run(_ tree: HomeTree) {
        var seconds = Self.gatherSeconds.lowerBound
        repeat {
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: seconds))
            let misses = queue.withLock { queue -> [Miss] in
                defer { queue.misses = [] }
                return queue.misses
            }
            let start = ContinuousClock.now
            for (directory, group) in Dictionary(grouping: misses, by: \.directory) {
                search(group, in: directory, of: tree)
            }
            let tookSeconds = (ContinuousClock.now - start) / .seconds(1)
            seconds = tookSeconds * Self.gatherPerSearch
            seconds = min(max(seconds, Self.gatherSeconds.lowerBound), Self.gatherSeconds.upperBound)
        } while !endsForNow()
    }

    private func endsForNow() -> Bool {
        queue.withLock { queue in
            queue.isRunning = !queue.misses.isEmpty
            return !queue.isRunning
        }
    }

    private func search(_ misses: [Miss], in directory: InodeNumber, of tree: HomeTree) {
        let current = misses.filter { $0.generation == tree.liveGeneration(of: directory) }
        let asked = Dictionary(grouping: current) { miss in
            miss.name.withUnsafeBytes { NamePolicy.simulator.key($0) }
        }
        guard !asked.isEmpty, let reader = try? tree.openDirectory(directory) else { return }
        try? reader.read(from: 0) { (item) throws(Errno) in
            for miss in asked[NamePolicy.simulator.key(item.name.bytes)] ?? [] {
                report(miss, item.name, reader.descriptor, tree)
            }
            return true
        }
    }

    /// A file that came only after the miss was not missed.
    private func report(_ miss: Miss, _ stored: FileName, _ descriptor: Int32, _ tree: HomeTree) {
        if miss.name.elementsEqual(stored.bytes) { return }
        var birth = timespec()
        guard lx_birth_time(descriptor, stored.cString, &birth) == 0,
            Int64(birth.tv_sec) * 1_000_000_000 + Int64(birth.tv_nsec) <= miss.time
        else { return }
        let asked = String(decoding: miss.name, as: UTF8.self)
        sink.record(
            Event(
                kind: .caseNearMiss(asked: asked, stored: stored.text),
                directory: tree.path(of: miss.directory)))
    }
}

extension HomeTree {
    /// The generation of an inode that may have ended; nil then.
    fileprivate func liveGeneration(of number: InodeNumber) -> UInt64? {
        tables.withLock { $0.slab.live(number).map { UInt64($0.pointee.generation) } }
    }
}
