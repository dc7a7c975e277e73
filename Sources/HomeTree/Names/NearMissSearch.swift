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
        let (answer, forgotten) = tree.tables.withLock { $0.nameSets.answer(name, mark, in: directory) }
        if let forgotten { tree.tell(forgotten) }
        switch answer {
        case .absent: return true
        case .unknowable: leave(tree)
        case .suspect, .unknown:
            // The program may end as soon as it has its answer.
            let miss = NameSets.Miss(
                directory: directory, mark: mark, name: name.terminated, program: asker.program)
            return examine(miss, answer, of: tree)
        }
        return false
    }

    private func examine(_ miss: NameSets.Miss, _ answer: NameSets.Answer, of tree: HomeTree) -> Bool {
        switch answer {
        case .absent:
            noteAbsent(miss, of: tree)
            return true
        case .suspect(isSmall: true): return find(miss, of: tree)
        case .suspect(isSmall: false):
            if tree.tables.withLock({ $0.letWaitForName(miss) }) { serve(tree) }
        case .unknowable: leave(tree)
        case .unknown:
            switch tree.tables.withLock({ $0.letWait(miss) }) {
            case .answered(let answer): return examine(miss, answer, of: tree)
            case .joined: break
            case .began, .refused: serve(tree)
            }
        }
        return false
    }

    private func noteAbsent(_ miss: NameSets.Miss, of tree: HomeTree) {
        let forgotten = miss.name.withFileName { name in
            tree.tables.withLock { $0.nameSets.noteAbsent(name, miss.mark, in: miss.directory) }
        }
        if let forgotten { tree.tell(forgotten) }
    }

    /// Nobody can tell whether the look-up failed for its case.
    private func leave(_ tree: HomeTree) {
        tree.tables.withLock { $0.nameSets.noteUnexamined() }
        serve(tree)
    }

    /// Waits until all that was missed before is examined, or the time is over. By looking: the threads that
    /// serve requests have nobody to tell.
    /// - Parameter evenIfIdle: whether the thread's end is waited for; else only what waits for it.
    func waitUntilExamined(in tree: HomeTree, deadline: Deadline, evenIfIdle: Bool = true) {
        func isBusy() -> Bool {
            tree.tables.withLock { $0.nameSets.isBeingServed && (evenIfIdle || $0.nameSets.hasWaiting) }
        }
        while isBusy(), !deadline.hasPassed {
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: Self.restSeconds.lowerBound))
        }
    }

    // MARK: One directory

    /// Looks at once for what only case tells from the name, and tells of it.
    /// - Returns: whether nothing is there: that may be remembered.
    private func find(_ miss: NameSets.Miss, of tree: HomeTree) -> Bool {
        do throws(Errno) {
            if try find([miss], in: miss.directory, of: tree) { return false }
        } catch {
            leave(tree)
            return false
        }
        noteAbsent(miss, of: tree)
        return true
    }

    /// Looks for what only case tells from names, and tells of it. Reads the directory once, and not at all
    /// where what was found the last time is there still.
    /// - Returns: whether there was anything.
    private func find(
        _ misses: [NameSets.Miss], in directory: InodeNumber, of tree: HomeTree
    ) throws(Errno) -> Bool {
        let place = tree.place(of: directory)
        func isMeant(_ stored: FileName, for miss: NameSets.Miss) -> Bool {
            // To the app an item that it does not see is not there in any case.
            !place.hidesFromApp(child: stored.bytes)
                && miss.name.withFileName { NamePolicy.differOnlyByCase($0.bytes, stored.bytes) }
        }
        var rest: [UInt64: [NameSets.Miss]] = [:]
        for miss in misses {
            let hint = tree.tables.withLock { $0.nameSets.hints[directory, miss.mark] }
            let isThere = hint?.withFileName { isMeant($0, for: miss) && tree.holds($0, in: directory) }
            if let hint, isThere == true {
                tell(miss, hint, of: tree)
            } else {
                rest[miss.mark.foldedBits, default: []].append(miss)
            }
        }
        if rest.isEmpty { return true }
        var isAny = rest.count < misses.count
        try tree.readNames(of: directory) { (stored) throws(Errno) in
            let key = NameMark(stored).foldedBits
            guard let waiting = rest[key] else { return true }
            rest[key] = waiting.filter { miss in
                guard isMeant(stored, for: miss) else { return true }
                tree.tables.withLock { $0.nameSets.hints[directory, miss.mark] = stored.terminated }
                tell(miss, stored.terminated, of: tree)
                isAny = true
                return false
            }
            if rest[key]?.isEmpty == true { rest[key] = nil }
            return !rest.isEmpty
        }
        return isAny
    }

    private func tell(_ miss: NameSets.Miss, _ stored: [CChar], of tree: HomeTree) {
        let names = (miss.name.withFileName { $0.text }, stored.withFileName { $0.text })
        sink.record(
            Event(
                kind: .caseNearMiss(asked: names.0, stored: names.1),
                directory: tree.path(of: miss.directory), program: miss.program))
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
            for directory in tree.tables.withLock({ $0.nameSets.giveUp() }) { tree.forget(directory) }
        }
    }

    /// Works until nothing is left to do; the tree stays for as long.
    // Not a weak reference: it would slow down every other use of the tree for good.
    private func run(_ tree: HomeTree) {
        var told = ContinuousClock.now - .seconds(Self.tellSeconds)
        repeat {
            let start = ContinuousClock.now
            while let job = tree.tables.withLock({ $0.nameSets.takeJob() }) { perform(job, tree) }
            findSuspects(tree)
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
            let suspects = tree.tables.withLock { $0.nameSets.finish(job, names) }
            if suspects.isEmpty { return }
            defer { tree.tables.withLock { $0.nameSets.endFinding() } }
            _ = try find(suspects, in: job.directory, of: tree)
        } catch {
            let isGone = error == .noSuchFileOrDirectory || error == .staleHandle
            tree.tables.withLock { $0.nameSets.abandon(job, isGone: isGone) }
        }
    }

    /// Finds the names for those that wait for them: of each directory once.
    private func findSuspects(_ tree: HomeTree) {
        while let misses = nonEmpty(tree.tables.withLock { $0.nameSets.takeSuspects() }) {
            do throws(Errno) {
                _ = try find(misses, in: misses[0].directory, of: tree)
            } catch {
                for _ in misses { tree.tables.withLock { $0.nameSets.noteUnexamined() } }
            }
            tree.tables.withLock { $0.nameSets.endFinding() }
            for miss in misses { tree.forget(miss.directory) }
        }
    }

    private func nonEmpty(_ misses: [NameSets.Miss]) -> [NameSets.Miss]? { misses.isEmpty ? nil : misses }

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

    /// Lets a look-up wait until the name that was meant is found: its directory stays until then.
    fileprivate mutating func letWaitForName(_ miss: NameSets.Miss) -> Bool {
        let waits = nameSets.waitForName(miss)
        if waits { retain(miss.directory) }
        return waits
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
