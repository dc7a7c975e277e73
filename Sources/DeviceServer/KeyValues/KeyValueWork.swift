internal import Device
internal import Posix
internal import SandboxRules

/// What the thread of the key-value stores is to do.
struct KeyValueWork {
    /// Stores whose property lists are not up to date, by their identifiers.
    var shownLate: [String: KeyValueLateness] = [:]
    var isAllShownLate = false
    /// Stores that commands used, and until when they are kept in step.
    var used: [String: KeyValueUse] = [:]
    /// What was set may be in the store by now, or is to be shown at another time.
    var isNews = false
    var isWorking = false
    var isEnded = false

    var isBusy: Bool { !shownLate.isEmpty || isAllShownLate || !used.isEmpty || isWorking }

    /// When there is something to look at, though nobody says so; nil: never.
    var secondsToLook: Double? {
        let late = shownLate.values.map { Double($0.from?.millisecondsLeft ?? 0) / 1000 }.min()
        return used.isEmpty ? late : min(late ?? Self.lookSeconds, Self.lookSeconds)
    }

    private static let lookSeconds = 0.5

    /// A store's property lists are to be written anew.
    mutating func showLate(_ identifier: String, _ lateness: KeyValueLateness = KeyValueLateness()) {
        shownLate[identifier] = shownLate[identifier].map { $0.joined(lateness) } ?? lateness
        // Whoever waits finds out anew for how long.
        isNews = true
    }

    /// - Returns: what is to be done now, which is under way from now on.
    mutating func take() -> KeyValueWork {
        var due = self
        due.shownLate = shownLate.filter { $0.value.isDue }
        shownLate = shownLate.filter { !$0.value.isDue }
        (isAllShownLate, isWorking) = (false, true)
        return due
    }
}

/// Which of a store's property lists are not up to date.
struct KeyValueLateness {
    /// The app whose list is; nil: no app's.
    var but: BundleIdentifier?
    /// From when on they are written; nil: at once.
    var from: Deadline?

    func joined(_ other: KeyValueLateness) -> KeyValueLateness {
        KeyValueLateness(but: but == other.but ? but : nil, from: from == nil ? nil : other.from)
    }

    var isDue: Bool { from?.hasPassed ?? true }
}

/// How often a property list is written while sets do not end: in a tenth of the time, as each is the whole
/// store. A few sets show at once, however close they are.
struct KeyValueShowing {
    private static let burst = Duration.seconds(5)
    private static let share = 10.0

    /// When all that was written would be a tenth of the time.
    private var even = ContinuousClock.now

    /// From when on it may be written; nil: now.
    var from: Deadline? {
        let wait = ContinuousClock.now.duration(to: even) - Self.burst
        return wait > .zero ? Deadline(seconds: wait / .seconds(1)) : nil
    }

    mutating func note(_ taken: Duration) { even = max(even, .now) + taken * Self.share }
}

/// A store that a command used a moment ago.
struct KeyValueUse {
    let app: InstalledApp
    /// Whether the engine has it.
    var isHeld = false
    /// The next command may come soon.
    var until: Deadline
    /// What is not in the cloud's store then goes up the next time.
    var atLatest: Deadline
}
