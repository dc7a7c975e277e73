internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Finds out which look-ups failed only for their case, before they are answered: no kernel may remember such
/// an answer, so that each is an event.
///
/// Most look-ups that fail are no such ones, and `NameSets` tells so. Where it does not know yet what a
/// directory holds, the look-up is answered, and not remembered either; it is examined a moment later, on a
/// thread that reads the directory and ends when nothing is left to do.
final class NearMissSearch: Sendable {
    private let sink: any EventSink

    /// How long the thread rests between two rounds, so that it is not begun for each directory.
    private static let restSeconds = 0.005...0.2
    /// It rests so many times as long as a round took: large directories cost a fifth of one CPU at most.
    private static let restPerRound = 4.0
    /// How often one is told of look-ups that nobody has examined.
    private static let tellSeconds = 1.0

    init(sink: any EventSink) { self.sink = sink }

    /// A look-up found nothing, and is about to be answered.
    /// - Returns: whether a kernel may remember that.
    func examine(_ name: FileName, in directory: InodeNumber, by asker: Asker, of tree: HomeTree) -> Bool {
        let mark = NameMark(name)
        switch tree.tables.withLock({ $0.nameSets.answer(name, mark, in: directory) }) {
        case .absent: return true
        case .suspect: return look(for: name, mark, in: directory, of: tree) { asker.program }
        case .unknowable: leave(tree)
        case .unknown:
            // The program may end as soon as it has its answer.
            let miss = NameSets.Miss(
                directory: directory, mark: mark, name: name.terminated, program: asker.program)
            switch tree.tables.withLock({ $0.letWait(miss) }) {
            case .answered(.absent): return true
            case .answered(.suspect): return look(for: name, mark, in: directory, of: tree) { miss.program }
            case .answered(.unknown), .joined: break
            case .answered(.unknowable): leave(tree)
            case .began, .refused: serve(tree)
            }
        }
        return false
    }

    /// Nobody can tell whether the look-up failed for its case.
    private func leave(_ tree: HomeTree) {
        tree.tables.withLock { $0.nameSets.noteUnexamined() }
        serve(tree)
    }

    /// Waits until all that was missed before is examined, or the time is over. By looking: the threads that
    /// serve requests have nobody to tell.
    /// - Parameter evenIfIdle: whether the thread's end is waited for; else only what waits for it.
    func waitUntilExamined(in tree: HomeTree, timeoutSeconds: Double, evenIfIdle: Bool) {
        let deadline = Deadline(seconds: timeoutSeconds)
        func isBusy() -> Bool {
            tree.tables.withLock { $0.nameSets.isBeingServed && (evenIfIdle || $0.nameSets.hasWaiting) }
        }
        while isBusy(), !deadline.hasPassed {
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: Self.restSeconds.lowerBound))
        }
    }

    // MARK: One directory

    /// Looks for what only case tells from the name, and tells of it.
    /// - Returns: whether nothing is there: that may be remembered.
    private func look(
        for name: FileName, _ mark: NameMark, in directory: InodeNumber, of tree: HomeTree,
        _ program: () -> Program?
    ) -> Bool {
        let stored: String?
        do throws(Errno) {
            stored = try variant(of: name, mark, in: directory, of: tree)
        } catch {
            leave(tree)
            return false
        }
        guard let stored else { return true }
        sink.record(
            Event(
                kind: .caseNearMiss(asked: name.text, stored: stored), directory: tree.path(of: directory),
                program: program()))
        return false
    }

    /// The name that was found for it the last time, or what the directory has.
    private func variant(
        of name: FileName, _ mark: NameMark, in directory: InodeNumber, of tree: HomeTree
    ) throws(Errno) -> String? {
        let place = tree.place(of: directory)
        func isMeant(_ stored: FileName) -> Bool {
            // To the app an item that it does not see is not there in any case.
            !place.hidesFromApp(child: stored.bytes)
                && NamePolicy.differOnlyByCase(name.bytes, stored.bytes)
        }
        let hint = tree.tables.withLock { $0.nameSets.hints[directory, mark] }
        if let hint, hint.withFileName({ isMeant($0) && tree.holds($0, in: directory) }) {
            return hint.withFileName { $0.text }
        }
        var found: [CChar]?
        try tree.readNames(of: directory) { (stored) throws(Errno) in
            if NameMark(stored).isFolded(as: mark), isMeant(stored) { found = stored.terminated }
            return found == nil
        }
        if let found { tree.tables.withLock { $0.nameSets.hints[directory, mark] = found } }
        return found?.withFileName { $0.text }
    }

    private func read(_ directory: InodeNumber, of tree: HomeTree, mostBytes: Int) throws(Errno) -> NameSet {
        var names = NameSet()
        try tree.readNames(of: directory) { (name) throws(Errno) in
            names.insert(NameMark(name))
            return names.sizeBytes <= mostBytes
        }
        return names
    }

    // MARK: The thread

    private func serve(_ tree: HomeTree) {
        guard tree.tables.withLock({ $0.nameSets.startServing() }) else { return }
        do throws(Errno) {
            try NativeThread(name: "near-miss") { self.run(tree) }.detach()
        } catch {
            for job in tree.tables.withLock({ $0.nameSets.giveUp() }) { tree.forget(job.directory) }
        }
    }

    /// Works until nothing is left to do; the tree stays for as long.
    // Not a weak reference: it would slow down every other use of the tree for good.
    private func run(_ tree: HomeTree) {
        var told = ContinuousClock.now - .seconds(Self.tellSeconds)
        repeat {
            let start = ContinuousClock.now
            while let job = tree.tables.withLock({ $0.nameSets.takeJob() }) { perform(job, tree) }
            if start - told >= .seconds(Self.tellSeconds) { if tellOfUnexamined(tree) { told = start } }
            let tookSeconds = (ContinuousClock.now - start) / .seconds(1)
            let seconds = max(tookSeconds * Self.restPerRound, Self.restSeconds.lowerBound)
            rest(min(seconds, Self.restSeconds.upperBound))
        } while !tree.tables.withLock({ $0.nameSets.endServing() })
    }

    private func rest(_ seconds: Double) { _ = try? Waiting.wait(for: [], until: Deadline(seconds: seconds)) }

    private func perform(_ job: NameSets.Job, _ tree: HomeTree) {
        let mostBytes = tree.tables.withLock { $0.nameSets.largestBytes }
        defer { tree.forget(job.directory) }
        do throws(Errno) {
            let names = try read(job.directory, of: tree, mostBytes: mostBytes)
            for miss in tree.tables.withLock({ $0.nameSets.finish(job, names) }) {
                miss.name.withFileName { name in
                    _ = look(for: name, miss.mark, in: miss.directory, of: tree) { miss.program }
                }
            }
        } catch {
            let isGone = error == .noSuchFileOrDirectory || error == .staleHandle
            tree.tables.withLock { $0.nameSets.abandon(job, isGone: isGone) }
        }
    }

    /// - Returns: whether there was anything to tell.
    private func tellOfUnexamined(_ tree: HomeTree) -> Bool {
        let count = tree.tables.withLock { $0.nameSets.takeUnexamined() }
        if count == 0 { return false }
        sink.record(Event(kind: .unexamined(count: count), directory: "", program: nil))
        return true
    }
}

extension InodeTable {
    /// Lets a look-up wait until its directory was read. A directory that has to be read for it stays until
    /// that was done, by a reference.
    fileprivate mutating func letWait(_ miss: NameSets.Miss) -> NameSets.Waiting {
        let waiting = nameSets.wait(miss)
        if case .began = waiting { retain(miss.directory) }
        return waiting
    }
}

extension HomeTree {
    /// Whether the directory has an item that is stored under this name.
    fileprivate func holds(_ name: FileName, in directory: InodeNumber) -> Bool {
        let result = try? inodes.withDirectory(directory) { (descriptor) throws(Errno) in
            var status = stat()
            return lx_fstatat(descriptor, name.cString, &status, lx_at_symlink_nofollow)
        }
        return result == 0
    }
}
