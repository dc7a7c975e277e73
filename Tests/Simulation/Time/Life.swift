/// One run of a device's engine, from its start to its crash: what waits for an answer in it, and whether it
/// is suspended just now.
// Unchecked: see WorldExecutor.
final class Life: @unchecked Sendable {
    let device: Int
    let number: Int
    private(set) var hasEnded = false
    /// What it sent and has not arrived never will.
    var isCutOff = false
    /// Each ends by itself, or with all others.
    private var suspensions: Set<Int> = []
    private var lastSuspension = 0
    private var held: [() -> Void] = []
    private var waiting: [Int: () -> Void] = [:]
    private var lastTicket = 0

    init(device: Int, number: Int) {
        self.device = device
        self.number = number
    }

    /// Lets something reach this life: now, when it goes on, or never.
    func receive(_ run: @escaping () -> Void) {
        if hasEnded { return }
        if isSuspended { held.append(run) } else { run() }
    }

    var isSuspended: Bool { !suspensions.isEmpty }

    /// - Returns: which suspension this is, for `resume`.
    func suspend() -> Int {
        lastSuspension += 1
        suspensions.insert(lastSuspension)
        return lastSuspension
    }

    /// Ends one suspension; with the last one it goes on. One that has ended already stays so: else a short
    /// sleep, cut short by `resumeAll`, would take a later one of months with it, and the device look for
    /// news all that time.
    func resume(_ suspension: Int) {
        guard suspensions.remove(suspension) != nil, !isSuspended else { return }
        goOn()
    }

    func resumeAll() {
        guard isSuspended else { return }
        suspensions = []
        goOn()
    }

    private func goOn() {
        let due = held
        held = []
        for run in due { receive(run) }
    }

    /// Ends it: whoever waits is told, and nothing reaches the outside any more.
    func end() {
        hasEnded = true
        held = []
        let told = waiting.sorted { $0.key < $1.key }
        waiting = [:]
        for (_, tell) in told { tell() }
    }

    /// Remembers what to tell a waiter at the end.
    func await(_ tell: @escaping () -> Void) -> Int {
        lastTicket += 1
        waiting[lastTicket] = tell
        return lastTicket
    }

    func forget(_ ticket: Int) { waiting[ticket] = nil }
}
