internal import CLinux
internal import Synchronization
public import SystemPackage

/// The room that a device keeps for what gives room back: on a full disk a command that removes something
/// needs a little itself, for a record of what it is about to do.
///
/// While the room is lent, and until it is whole again, `admitsGrowth` keeps from it what would fill the disk
/// anew. Used by the one process that serves the device.
public final class SpaceReserve: Sendable {
    private let directory: Descriptor
    private let owner: Owner
    private let file: ReserveFile

    private struct State {
        var borrowers = 0
        /// Whether the file was seen whole, or cannot be had for another reason than a full disk.
        var isSettled = true
    }
    /// Held across the system calls on the file.
    private let state = Lock(State(), rank: .spaceReserve)
    /// Whether nobody may grow, as far as is known without a system call.
    private let isClosed = Atomic<Bool>(false)

    /// Makes nothing yet.
    /// - Parameters:
    ///   - directory: the device's folder, open for reading; a duplicate is kept.
    ///   - owner: whose rights the file is made with.
    public init(in directory: borrowing Descriptor, owner: Owner) throws(Errno) {
        self.directory = try directory.duplicate()
        self.owner = owner
        file = ReserveFile(name: "reserve", for: directory.raw)
    }

    /// Runs `body`, which may use the room if the disk is full, and takes it again.
    ///
    /// What `body` frees goes into the reserve first. May be nested, and called by several threads at once.
    public func whileLent<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        borrow()
        defer { giveBack() }
        return try body()
    }

    /// Whether what an app writes may take more room: not while that is kept for somebody else.
    ///
    /// Costs a system call only where the room is missing.
    public func admitsGrowth() -> Bool {
        guard isClosed.load(ordering: .relaxed) else { return true }
        return state.withLock { state in
            settle(&state)
            return state.isSettled && state.borrowers == 0
        }
    }

    private func borrow() {
        state.withLock { state in
            state.borrowers += 1
            // Asked each time: a command may come when another one has used up what it was lent.
            guard file.isNeeded(on: directory.raw) else { return }
            isClosed.store(true, ordering: .relaxed)
            state.isSettled = false
            try? owner.calling { () throws(Errno) in try file.giveBack(in: directory.raw) }
        }
    }

    private func giveBack() {
        state.withLock { state in
            state.borrowers -= 1
            settle(&state)
            // What was freed meanwhile may be to be had only when that is on the disk.
            if !state.isSettled, state.borrowers == 0, lx_syncfs(directory.raw) >= 0 { settle(&state) }
        }
    }

    /// Takes the room where it is missing and nobody has it.
    private func settle(_ state: inout State) {
        guard state.borrowers == 0 else { return }
        do throws(Errno) {
            try owner.calling { () throws(Errno) in
                if !file.isWhole(in: directory.raw) { try file.fill(in: directory.raw) }
            }
            state.isSettled = true
        } catch .noSpace, .diskQuotaExceeded {
            state.isSettled = false
        } catch {
            // Nothing can be kept here, on a read-only disk, say: then nothing is refused for its sake.
            state.isSettled = true
        }
        isClosed.store(!state.isSettled, ordering: .relaxed)
    }
}
