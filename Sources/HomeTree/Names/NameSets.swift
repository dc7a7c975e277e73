internal import Posix
internal import Synchronization

/// The names of the directories in which something was looked for in vain, as sets of marks, and the look-ups
/// that wait for such a set.
///
/// A set is whole at once where its directory was made through the tree. Else the directory has to be read;
/// what comes there meanwhile is in the set already. It stays true because every change of a directory comes
/// through the tree. A part of the inode table, under its lock.
struct NameSets: ~Copyable {
    /// What is known of a name that was looked for in vain.
    enum Answer: Equatable {
        /// Nothing is there that differs by case alone.
        case absent
        /// Something probably is. In a small directory it is found at once.
        case suspect(isSmall: Bool)
        /// Nobody knows yet what is there.
        case unknown
        /// Nor will anybody: the names are too many.
        case unknowable
    }

    /// A look-up that found nothing.
    struct Miss {
        let directory: InodeNumber
        let mark: NameMark
        /// With its NUL.
        let name: [CChar]
        let program: Program?
    }

    /// A directory that is to be read.
    struct Job {
        let directory: InodeNumber
        fileprivate let ticket: UInt64
    }

    enum Waiting {
        /// For a directory that somebody had to wait for already.
        case joined
        /// As the first one for its directory, which has to stay until `finish`.
        case began
        /// Too many wait: it was counted.
        case refused
        /// The set has become whole.
        case answered(Answer)
    }

    private enum State {
        case whole
        /// Holds what has come since the job was given.
        case awaited(ticket: UInt64)
        case tooLarge
    }

    private struct Entry {
        var names = NameSet()
        var state: State
        var lastUse: UInt64
        var isKept: Bool { if case .tooLarge = state { false } else { true } }
        /// With about what it takes besides its names.
        var sizeBytes: Int { names.sizeBytes + 96 }
    }

    var hints = NearMissHints()
    private var absences = RememberedAbsences()
    private var entries: [InodeNumber: Entry] = [:]
    private var jobs: [Job] = []
    private var misses: [Miss] = []
    /// Of those it is known that something was there: what, somebody has to read.
    private var suspects: [Miss] = []
    /// How many are being found something for, by `takeSuspects` and `finish`.
    private var findings = 0
    /// Look-ups that nobody examined, as far as they have not been told of.
    private(set) var unexamined = 0
    private var isServed = false
    /// Counts questions: which sets are used, and which job is whose.
    private var clock: UInt64 = 0
    private(set) var sizeBytes = 0
    private let limitBytes: Int

    /// What the sets of all trees of the process take, but for `leastBytes` of each.
    private static let processLimitBytes = 32 << 20
    private static let leastBytes = 1 << 20
    private static let processBytes = Atomic<Int>(0)
    static let mostMisses = 4096
    /// Some 3000 names: reading them takes less than a millisecond.
    private static let smallBytes = 64 << 10

    /// - Parameter limitBytes: what the sets of this tree may take.
    init(limitBytes: Int = processLimitBytes) { self.limitBytes = limitBytes }

    deinit { Self.processBytes.wrappingSubtract(sizeBytes, ordering: .relaxed) }

    /// What one set may take: about 1.5 million names where other trees leave the room.
    var largestBytes: Int { min(limitBytes, roomBytes(all: Self.processBytes.load(ordering: .relaxed))) / 2 }

    private func roomBytes(all: Int) -> Int {
        max(Self.leastBytes, Self.processLimitBytes - (all - sizeBytes))
    }
}

// MARK: The names of directories

extension NameSets {
    /// A directory has just been made: it is empty.
    mutating func begin(_ directory: InodeNumber) {
        drop(directory)
        add(Entry(state: .whole, lastUse: clock), of: directory)
    }

    /// A name has come, or was there already.
    /// - Returns: names of which a kernel may remember that they are absent, and which would be missed for
    ///   their case from now on.
    @discardableResult
    mutating func insert(_ mark: NameMark, in directory: InodeNumber) -> [[CChar]] {
        if let index = entries.index(forKey: directory), entries.values[index].isKept {
            change(index) { $0.names.insert(mark) }
        }
        return absences.take(mark, in: directory)
    }

    /// Nothing has the name after all.
    /// - Returns: as `answer`, what a kernel must remember no more.
    mutating func noteAbsent(_ name: FileName, _ mark: NameMark, in directory: InodeNumber) -> AbsentName? {
        absences.add(name, mark, in: directory)
    }

    /// The directories become others: what kernels remember of them as absent may be there now.
    mutating func takeAbsences(in directories: Set<InodeNumber>) -> [AbsentName] {
        absences.takeAll(in: directories)
    }

    /// A name has gone.
    mutating func remove(_ mark: NameMark, in directory: InodeNumber) {
        guard let index = entries.index(forKey: directory) else { return }
        entries.values[index].names.remove(mark)
    }

    /// Forgets what the directory holds: it has ended, or is another one from now on.
    mutating func drop(_ directory: InodeNumber) {
        guard let entry = entries.removeValue(forKey: directory) else { return }
        account(-entry.sizeBytes)
        guard case .awaited = entry.state else { return }
        unexamined += takeMisses(in: directory).count
    }

    /// Forgets all: names are compared otherwise, or not at all, from now on.
    mutating func dropAll() { for directory in Array(entries.keys) { drop(directory) } }

    private mutating func add(_ entry: Entry, of directory: InodeNumber) {
        entries[directory] = entry
        account(entry.sizeBytes)
    }

    private mutating func change(
        _ index: Dictionary<InodeNumber, Entry>.Index, _ body: (inout Entry) -> Void
    ) {
        let before = entries.values[index].sizeBytes
        body(&entries.values[index])
        if entries.values[index].names.sizeBytes > largestBytes {
            entries.values[index].names = NameSet()
            entries.values[index].state = .tooLarge
        }
        let more = entries.values[index].sizeBytes - before
        if more != 0 { account(more) }
    }

    private mutating func account(_ bytes: Int) {
        sizeBytes += bytes
        let all = Self.processBytes.wrappingAdd(bytes, ordering: .relaxed).newValue
        let limit = min(limitBytes, roomBytes(all: all))
        if bytes > 0, sizeBytes > limit { makeRoom(upTo: limit) }
    }

    /// Drops sets that were asked long ago, and some more than it must, so that it is not done for each name.
    /// In a few passes, and not in their exact order: there may be a hundred thousand, and the lock is held.
    private mutating func makeRoom(upTo limit: Int) {
        while sizeBytes > limit / 8 * 7 {
            let whole = entries.lazy.filter { if case .whole = $0.value.state { true } else { false } }
            let uses = whole.map(\.value.lastUse)
            guard let oldest = uses.min(), let latest = uses.max() else { return }
            let middle = oldest + (latest - oldest) / 2
            for directory in whole.filter({ $0.value.lastUse <= middle }).map(\.key) {
                if sizeBytes <= limit / 8 * 7 { return }
                drop(directory)
            }
        }
    }
}

// MARK: Questions, and those that wait

extension NameSets {
    /// What is known of a name that the directory does not hold. That it is absent may be remembered.
    /// - Returns: that, and another name that kernels must remember as absent no more: too many are.
    mutating func answer(
        _ name: FileName, _ mark: NameMark, in directory: InodeNumber
    ) -> (Answer, AbsentName?) {
        let answer = answer(mark, in: directory)
        guard case .absent = answer else { return (answer, nil) }
        return (answer, absences.add(name, mark, in: directory))
    }

    private mutating func answer(_ mark: NameMark, in directory: InodeNumber) -> Answer {
        guard let index = entries.index(forKey: directory) else { return .unknown }
        clock += 1
        entries.values[index].lastUse = clock
        if entries.values[index].names.holdsVariant(of: mark) {
            return .suspect(isSmall: entries.values[index].sizeBytes <= Self.smallBytes)
        }
        switch entries.values[index].state {
        case .whole: return .absent
        case .awaited: return .unknown
        case .tooLarge: return .unknowable
        }
    }

    /// Lets a look-up wait, whose answer was unknown a moment ago, until its directory was read.
    mutating func wait(_ miss: Miss) -> Waiting {
        let answer = self.answer(miss.mark, in: miss.directory)
        guard case .unknown = answer else { return .answered(answer) }
        guard misses.count < Self.mostMisses else {
            unexamined += 1
            return .refused
        }
        misses.append(miss)
        if entries[miss.directory] != nil { return .joined }
        clock += 1
        add(Entry(state: .awaited(ticket: clock), lastUse: clock), of: miss.directory)
        jobs.append(Job(directory: miss.directory, ticket: clock))
        return .began
    }

    /// Lets a look-up wait until somebody finds out what was there.
    /// - Returns: false where too many wait: it was counted.
    mutating func waitForName(_ miss: Miss) -> Bool {
        guard suspects.count < Self.mostMisses else {
            unexamined += 1
            return false
        }
        suspects.append(miss)
        return true
    }

    /// The look-ups of which somebody has to find out what was there, all of one directory; none are left
    /// where it is empty, and else the caller ends it with `endFinding`.
    mutating func takeSuspects() -> [Miss] {
        guard let directory = suspects.first?.directory else { return [] }
        findings += 1
        defer { suspects.removeAll { $0.directory == directory } }
        return suspects.filter { $0.directory == directory }
    }

    /// Nobody will examine a look-up.
    mutating func noteUnexamined() { unexamined += 1 }

    /// How many look-ups nobody examined since this was asked last.
    mutating func takeUnexamined() -> Int {
        defer { unexamined = 0 }
        return unexamined
    }

    /// Whether somebody has to begin to do the jobs: the caller, then.
    mutating func startServing() -> Bool {
        defer { isServed = true }
        return !isServed
    }

    /// Whether nothing is left to do: somebody has to begin again then.
    mutating func endServing() -> Bool {
        isServed = !jobs.isEmpty || !suspects.isEmpty || unexamined > 0
        return !isServed
    }

    /// Nobody can do the jobs now.
    /// - Returns: the directories that have to stay no longer.
    mutating func giveUp() -> [InodeNumber] {
        let directories = jobs.map(\.directory) + suspects.map(\.directory)
        for job in jobs { drop(job.directory) }
        unexamined += suspects.count
        (jobs, suspects, isServed) = ([], [], false)
        return directories
    }

    var isBeingServed: Bool { isServed }
    /// Whether look-ups wait, or something is being found for them.
    var hasWaiting: Bool { !misses.isEmpty || !suspects.isEmpty || findings > 0 }

    mutating func takeJob() -> Job? { jobs.isEmpty ? nil : jobs.removeFirst() }

    /// A directory was read.
    /// - Parameter names: those that it had.
    /// - Returns: what was looked for there while something was there that only case tells from it. What came
    ///   after the job was given is not counted: it may have come after the look-up. Where there is any, the
    ///   caller ends it with `endFinding`.
    mutating func finish(_ job: Job, _ names: NameSet) -> [Miss] {
        guard let index = entries.index(forKey: job.directory),
            case .awaited(job.ticket) = entries.values[index].state
        else { return [] }
        let waiting = takeMisses(in: job.directory)
        guard names.sizeBytes <= largestBytes else {
            unexamined += waiting.count
            change(index) { $0.state = .tooLarge }
            return []
        }
        let came = entries.values[index].names
        let suspects = waiting.filter {
            names.holdsVariant(of: $0.mark) && !came.holdsVariant(of: $0.mark)
        }
        change(index) { entry in
            entry.names.join(names)
            entry.state = .whole
        }
        if !suspects.isEmpty { findings += 1 }
        return suspects
    }

    mutating func endFinding() { findings -= 1 }

    /// A directory cannot be read.
    /// - Parameter isGone: nothing was missed there.
    mutating func abandon(_ job: Job, isGone: Bool) {
        guard case .awaited(job.ticket)? = entries[job.directory]?.state else { return }
        if isGone { _ = takeMisses(in: job.directory) }
        drop(job.directory)
    }

    private mutating func takeMisses(in directory: InodeNumber) -> [Miss] {
        let taken = misses.filter { $0.directory == directory }
        misses.removeAll { $0.directory == directory }
        return taken
    }
}
