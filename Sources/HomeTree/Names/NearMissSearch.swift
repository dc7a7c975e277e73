internal import CLinux
internal import Posix
internal import SandboxRules
internal import Synchronization
internal import SystemPackage

/// Finds out which failed look-ups failed only for their case, on a thread of its own.
///
/// Misses are common (every creation begins with one), so they are gathered for a moment and searched a
/// directory at a time; what comes too fast is dropped. Nothing runs while nothing is missed.
final class NearMissSearch: Sendable {
    private let sink: any EventSink
    /// No gate: a miss is a request's business, and must not wake the thread that gathers.
    private let queue = Lock(Queue(), rank: .leaf)

    /// Set while the queue is full, so that a burst does not take its lock.
    private let isFull = Atomic(false)

    /// Room for all is made once: a miss allocates nothing.
    private struct Queue {
        var misses: [Miss] = []
        /// The names of all misses, one behind the other.
        var names: [UInt8] = []
        var isRunning = false
    }

    private struct Miss {
        let directory: InodeNumber
        let generation: UInt64
        let time: Int64
        /// Where its name ends among the names.
        let nameEnd: Int
    }

    /// A miss with its name, for the search.
    private struct Asked {
        let miss: Miss
        let name: [UInt8]
    }

    /// Misses that are kept; more would only repeat themselves.
    private static let capacity = 256
    private static let nameBytes = 16 << 10
    /// How long misses are gathered, so that a burst is searched once.
    private static let gatherSeconds = 0.2...2.0
    /// Gathering lasts so many times as long as the last search did: large directories that are filled
    /// cost a twentieth of one CPU at most.
    private static let gatherPerSearch = 20.0

    init(sink: any EventSink) { self.sink = sink }

    func add(_ name: FileName, in directory: InodeNumber, of tree: HomeTree) {
        if isFull.load(ordering: .relaxed) { return }
        let generation = tree.generation(of: directory)
        let time = lx_realtime_nanoseconds()
        let starts = queue.withLock { queue -> Bool in
            guard queue.misses.count < Self.capacity, queue.names.count + name.count <= Self.nameBytes else {
                isFull.store(true, ordering: .relaxed)
                return false
            }
            // Without effect but at the first.
            queue.misses.reserveCapacity(Self.capacity)
            queue.names.reserveCapacity(Self.nameBytes)
            queue.names.append(contentsOf: name.bytes)
            queue.misses.append(
                Miss(directory: directory, generation: generation, time: time, nameEnd: queue.names.count))
            defer { queue.isRunning = true }
            return !queue.isRunning
        }
        if starts { start(tree) }
    }

    /// Waits until all that was missed before is searched for, or the time is over. By looking: the threads
    /// that serve requests have nobody to tell.
    func waitUntilSearched(timeoutSeconds: Double) {
        let deadline = Deadline(seconds: timeoutSeconds)
        while queue.withLock({ $0.isRunning }), !deadline.hasPassed {
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: Self.lookSeconds))
        }
    }

    private static let lookSeconds = 0.02

    /// Takes what was gathered, and leaves the room that it had.
    private func take() -> [Asked] {
        queue.withLock { queue in
            var start = 0
            let asked = queue.misses.map { miss in
                defer { start = miss.nameEnd }
                return Asked(miss: miss, name: Array(queue.names[start..<miss.nameEnd]))
            }
            clear(&queue)
            return asked
        }
    }

    private func clear(_ queue: inout Queue) {
        queue.misses.removeAll(keepingCapacity: true)
        queue.names.removeAll(keepingCapacity: true)
        isFull.store(false, ordering: .relaxed)
    }

    private func start(_ tree: HomeTree) {
        do throws(Errno) {
            try NativeThread(name: "near-miss") { self.run(tree) }.detach()
        } catch {
            queue.withLock { queue in
                clear(&queue)
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
            let asked = take()
            let start = ContinuousClock.now
            for (directory, group) in Dictionary(grouping: asked, by: \.miss.directory) {
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

    private func search(_ misses: [Asked], in directory: InodeNumber, of tree: HomeTree) {
        let current = misses.filter { $0.miss.generation == tree.liveGeneration(of: directory) }
        let asked = Dictionary(grouping: current) { miss in
            miss.name.withUnsafeBytes { NamePolicy.simulator.key($0) }
        }
        guard !asked.isEmpty, let reader = try? tree.openDirectory(directory) else { return }
        let place = tree.place(of: directory)
        try? reader.read(from: 0) { (item) throws(Errno) in
            let misses = asked[NamePolicy.simulator.key(item.name.bytes)] ?? []
            // To the app an item that it does not see is not there in any case.
            if misses.isEmpty || place.hidesFromApp(child: item.name.bytes) { return true }
            for miss in misses { report(miss, item.name, reader.descriptor, tree) }
            return true
        }
    }

    /// A file that came only after the miss was not missed.
    private func report(_ asked: Asked, _ stored: FileName, _ descriptor: Int32, _ tree: HomeTree) {
        if asked.name.elementsEqual(stored.bytes) { return }
        var birth = timespec()
        guard lx_birth_time(descriptor, stored.cString, &birth) == 0,
            Int64(birth.tv_sec) * 1_000_000_000 + Int64(birth.tv_nsec) <= asked.miss.time
        else { return }
        let name = String(decoding: asked.name, as: UTF8.self)
        sink.record(
            Event(
                kind: .caseNearMiss(asked: name, stored: stored.text),
                directory: tree.path(of: asked.miss.directory)))
        // The next one is to be heard of too: no kernel goes on answering it alone.
        tree.caches.tellName(asked.name, in: asked.miss.directory)
    }
}

extension HomeTree {
    /// The generation of an inode that may have ended; nil then.
    fileprivate func liveGeneration(of number: InodeNumber) -> UInt64? {
        tables.withLock { $0.liveGeneration(of: number) }
    }
}
