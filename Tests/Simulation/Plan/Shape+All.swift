extension Shape {
    static func named(_ name: String) -> Shape? { all.first { $0.name == name } }

    static let all = [
        files, unseen, sights, directories, nests, pairs, twins, flags, uploads, halfYear, months, copies,
        copiedEdits, saves, renames, merged, swaps,
        numbers, crashes, powerCuts, unsynced, handles, links, flaggedMoves, newcomers, circles,
        databases, vanishing, dataless, restores, choices, orphans, collections, takenBack,
        endedHistories, quota,
        repairs, clocks, keys,
    ]

    /// Files of few names, changed on both sides: what a delete names, equal contents, merges.
    static let files = Shape(
        name: "files", scenes: [.apart, .apart, .late],
        verbs: [
            .create: 6, .sameContent: 4, .editInPlace: 5, .delete: 6, .rename: 5, .renameOver: 2,
            .saveAtomically: 2,
        ],
        first: [.create, .create], rounds: 1...4)

    /// Keys that five devices set and remove, with clocks that are wrong, on a way that loses requests.
    static let keys = Shape(
        name: "keys", scenes: [.apart, .together, .crossed, .late], devices: 5...5, faults: StoreFaults(),
        verbs: [.create: 1, .editInPlace: 1], names: ["a"], first: [.create], rounds: 1...3, actions: 1...2,
        events: [(.endAtWrite, 200)], commitsPerSnapshot: 4, hasKeyValues: true)

    /// One document, deleted by who has not seen what others make of it.
    static let unseen = Shape(
        name: "unseen", scenes: [.crossed], devices: 2...2,
        verbs: [.editCommon: 4, .editInPlace: 4, .delete: 4, .create: 2], names: ["a"], first: [.create],
        rounds: 1...2, actions: 1...2)

    /// Documents that are deleted while what another device made of them is on its way: who deletes is
    /// offline just then.
    static let sights = Shape(
        name: "sights", scenes: [.together], devices: 2...2,
        verbs: [.editInPlace: 3, .delete: 1, .create: 1], first: [.create, .create], rounds: 6...9,
        actions: 2...4, events: [(.faults, 700)])

    /// A directory in another, of which each may come to lie in the other, while the inner one is deleted.
    static let nests = Shape(
        name: "nests", scenes: [.crossed], devices: 2...2, verbs: [.turnOver: 3, .moveDirectory: 3],
        verbsAway: [.removeDirectory: 4, .moveDirectory: 1, .makeDirectory: 1], first: [.makeNest],
        rounds: 1...2, actions: 1...2)

    /// Two directories side by side: one is deleted and the other takes its name, while that is moved into
    /// the deleted one.
    static let pairs = Shape(
        name: "pairs", scenes: [.crossed], devices: 2...2, verbs: [.moveDirectory: 1],
        verbsAway: [.removeDirectory: 1, .moveDirectory: 1], first: [.makePair], rounds: 1...1,
        actions: 1...2)

    /// The same directory made on both sides, and taken away again on one.
    static let twins = Shape(
        name: "twins", scenes: [.crossed, .late], devices: 2...2,
        verbs: [.makeDirectory: 4, .moveDirectory: 1, .removeDirectory: 5], first: [], rounds: 1...3,
        actions: 1...2)

    /// Directories that are moved into each other, taken away and made again.
    static let directories = Shape(
        name: "directories", scenes: [.apart, .apart, .late],
        verbs: [
            .makeDirectory: 7, .moveDirectory: 9, .removeDirectory: 5, .deleteTree: 3, .create: 3, .rename: 2,
        ],
        first: [.makeDirectory, .makeDirectory, .create], rounds: 1...4, actions: 1...4)

    /// What leaves the cloud while others work in it.
    static let flags = Shape(
        name: "flags", scenes: [.apart, .late, .together],
        verbs: [
            .makeDirectory: 5, .create: 6, .flag: 5, .unflag: 2, .moveDirectory: 4, .rename: 3,
            .editInPlace: 3,
            .moveOut: 1, .moveIn: 1, .delete: 2,
        ],
        first: [.makeDirectory, .create, .create])

    /// Documents that are flagged while they go up.
    static let uploads = Shape(
        name: "uploads", scenes: [.together], devices: 2...2, faults: StoreFaults(),
        verbs: [.writeManyThenFlag: 1, .writeThenFlag: 1], rounds: 1...1, actions: 1...1)

    /// A device comes back when tombstones have gone.
    static let halfYear = Shape(
        name: "halfYear", scenes: [.halfYear],
        verbs: [
            .create: 5, .editInPlace: 6, .delete: 6, .makeDirectory: 3, .deleteTree: 4, .flag: 2,
            .moveDirectory: 2,
        ],
        first: [.makeDirectory, .create, .create, .create], rounds: 1...1, actions: 2...4)

    /// A device comes back when the log it stopped at is gone.
    static let months = Shape(
        name: "months", scenes: [.truncated], devices: 2...3,
        verbs: [.create: 6, .editInPlace: 6, .delete: 2, .rename: 2],
        names: ["a", "b", "c", "f", "g"], first: [.create, .create], rounds: 1...1, commitsPerSnapshot: 3)

    /// Copied and restored devices.
    static let copies = Shape(
        name: "copies", scenes: [.copied, .copied, .setBack], devices: 1...2, faults: StoreFaults(),
        verbs: [.create: 6, .editInPlace: 6, .delete: 3, .rename: 2], first: [.create], rounds: 1...2)

    /// Two edits of a document, one after the other, on a device and its copy.
    static let copiedEdits = Shape(
        name: "copiedEdits", scenes: [.copied], devices: 1...1, faults: StoreFaults(),
        verbs: [.editInPlace: 1], names: ["a"], first: [.create], rounds: 1...1, actions: 2...4)

    /// Documents that are only ever saved: each stays the item it was.
    static let saves = Shape(
        name: "saves", scenes: [.apart, .together],
        verbs: [.saveAtomically: 3, .editInPlace: 2, .saveWithBackup: 3],
        first: [.create, .create, .create], unsaid: [.move, .delete])

    /// Documents that become one item while a person lets them change places.
    static let merged = Shape(
        name: "merged", scenes: [.late, .together], devices: 2...2,
        verbs: [.exchange: 4, .rename: 5, .hardLink: 1], names: ["a", "b", "c"],
        first: [.create, .create], rounds: 4...6, actions: 2...5)

    /// Documents with conflict versions that change places, and one of them goes before that was told.
    static let swaps = Shape(
        name: "swaps", scenes: [.apart, .together, .together], devices: 2...2,
        verbs: [.editInPlace: 3, .exchange: 3, .moveOut: 2, .create: 1], first: [.create, .create],
        rounds: 2...4, actions: 1...3)

    /// Documents that are saved and renamed: each stays the item it was.
    static let renames = Shape(
        name: "renames", scenes: [.apart, .together], verbs: [.saveAndRename: 3, .editInPlace: 2],
        first: [.create, .create], unsaid: [.delete])

    /// Documents that go, and others that get their numbers: nothing is moved.
    static let numbers = Shape(
        name: "numbers", scenes: [.apart, .together],
        verbs: [.reuseNumber: 4, .delete: 2, .create: 3, .editInPlace: 2],
        names: ["a", "b", "c", "f"], first: [.create, .create, .create], unsaid: [.move])

    /// Devices that end at each write of their memory.
    static let crashes = Shape(
        name: "crashes", scenes: [.apart, .together, .late],
        verbs: [
            .create: 4, .editInPlace: 8, .saveAtomically: 4, .rename: 4, .renameOver: 2, .delete: 3,
            .makeDirectory: 2, .moveDirectory: 2,
        ],
        first: [.create, .create], actions: 1...4, events: [(.endAtWrite, 500)])

    /// Saves that nobody made durable, on machines whose power fails.
    static let powerCuts = Shape(
        name: "powerCuts", scenes: [.together, .apart], devices: 2...2,
        verbs: [.saveAtomically: 4, .editInPlace: 4, .create: 2], first: [.create, .create],
        rounds: 4...6, events: [(.losePowerAtWrite, 900)])

    /// Edits that change no size and are never made durable, on machines whose power fails: the file's times
    /// do not tell that it has its older bytes again.
    static let unsynced = Shape(
        name: "unsynced", scenes: [.together], devices: 2...2, verbs: [.editCommon: 1], names: ["a"],
        first: [.create], rounds: 3...5, events: [(.losePowerAtWrite, 700)])

    /// Documents that are open while others' versions come.
    static let handles = Shape(
        name: "handles", scenes: [.together, .apart],
        verbs: [
            .holdOpen: 5, .writeMapped: 4, .writeInTwoHalves: 3, .editInPlace: 4, .delete: 2, .create: 2,
        ],
        first: [.create, .create], events: [(.race, 300)])

    /// Documents with two names, one of them below a flag, that are open while others' versions come.
    static let links = Shape(
        name: "links", scenes: [.apart], devices: 2...2,
        verbs: [.hardLink: 3, .flag: 1, .holdOpen: 8, .editInPlace: 1], names: ["a"],
        first: [.makeDirectory, .create], rounds: 6...9, actions: 3...5)

    /// Documents that are written to in a flagged directory while others move them out of it.
    static let flaggedMoves = Shape(
        name: "flaggedMoves", scenes: [.crossed], devices: 2...2,
        verbs: [.flag: 3, .editInPlace: 4, .rename: 4], first: [.makeDirectory, .create, .create],
        rounds: 1...2, actions: 2...3)

    /// What comes into a directory that changes places with a flagged one.
    static let newcomers = Shape(
        name: "newcomers", scenes: [.apart, .crossed], devices: 2...2,
        verbs: [.makeDirectory: 4, .exchange: 3, .flag: 2], first: [.makePair, .makeDirectory],
        rounds: 1...2, actions: 2...4)

    /// Directories that change places, so that one of them waits where nobody sees it, on devices that end
    /// there.
    static let circles = Shape(
        name: "circles", scenes: [.apart, .crossed, .together], devices: 2...2,
        verbs: [
            .exchange: 6, .turnOver: 2, .moveDirectory: 3, .makeDirectory: 3, .create: 2, .rename: 2,
            .flag: 1,
            .removeDirectory: 1, .deleteTree: 1,
        ],
        first: [.makePair, .create, .makeDirectory, .create], rounds: 2...4, actions: 1...3,
        events: [(.endAtWrite, 250), (.race, 250)])

    /// A database that several devices write to.
    static let databases = Shape(
        name: "databases", scenes: [.together, .apart], verbs: [.writeDatabase: 1], first: [.writeDatabase])

    /// A disk that is not there when the device starts.
    static let vanishing = Shape(
        name: "vanishing", scenes: [.vanished], verbs: [.create: 5, .editInPlace: 3, .makeDirectory: 1],
        names: ["a", "b", "c", "f"], first: [.create, .create, .create], rounds: 1...2)

    /// Documents whose bytes are not here.
    static let dataless = Shape(
        name: "dataless", scenes: [.together, .apart],
        verbs: [
            .create: 3, .editInPlace: 3, .rename: 4, .renameOver: 4, .saveAtomically: 2, .changeMode: 3,
            .exchange: 2, .delete: 1,
        ],
        first: [.create, .create, .create], rounds: 2...4, events: [(.evict, 500)])

    /// Old backups that come in the place of documents of which nobody was told.
    static let restores = Shape(
        name: "restores", scenes: [.apart, .apart, .together, .late],
        verbs: [
            .create: 3, .editInPlace: 6, .saveAtomically: 3, .rename: 2, .delete: 2, .makeDirectory: 1,
            .holdOpen: 1,
        ],
        first: [.create, .create], rounds: 2...4, actions: 1...4,
        events: [(.restore, 300), (.endAtWrite, 150)])

    /// People who choose between versions while others make more.
    static let choices = Shape(
        name: "choices", scenes: [.apart, .late, .together],
        verbs: [.editInPlace: 6, .create: 3, .sameContent: 2, .delete: 1], names: ["a"], first: [.create],
        rounds: 2...4, events: [(.resolve, 400)])

    /// Bytes that are nobody's while a collector looks.
    static let orphans = Shape(
        name: "orphans", scenes: [.orphan, .overslept], devices: 3...3, verbs: [.create: 3, .createLarge: 1],
        rounds: 1...1, actions: 1...2)

    static let collections = Shape(
        name: "collections", scenes: [.sleepingCollector, .lostObject, .lostPack], devices: 3...3,
        verbs: [.create: 1], rounds: 1...1)

    /// What was sent for nothing goes at once, also where a copy of its sender could refer to it.
    static let takenBack = Shape(
        name: "takenBack", scenes: [.takenBack], devices: 1...2,
        verbs: [.create: 3, .editInPlace: 2, .delete: 2],
        rounds: 1...2, actions: 1...2, events: [(.takeBack, 300)])

    /// Retention that a person ends, while the bytes are used again.
    static let endedHistories = Shape(
        name: "endedHistories", scenes: [.endedHistory], devices: 3...3,
        verbs: [.create: 2, .editInPlace: 2, .delete: 2, .sameContent: 2], rounds: 1...2, actions: 1...2,
        events: [(.endHistory, 300)])

    static let quota = Shape(
        name: "quota", scenes: [.apart, .together],
        verbs: [.create: 5, .createLarge: 3, .editInPlace: 4, .delete: 4, .flag: 1],
        names: ["a", "b", "c", "f"], quotaBytes: 150)

    /// A folder that machines use whose clocks are years apart.
    static let clocks = Shape(
        name: "clocks", scenes: [.clocksApart, .clocksApart, .apart, .orphan], devices: 3...3,
        verbs: [.create: 5, .editInPlace: 4, .delete: 3, .sameContent: 2], first: [.create, .create],
        rounds: 2...5, commitsPerSnapshot: 3, isInFolder: true)

    static let repairs = Shape(
        name: "repairs", scenes: [.repaired], devices: 2...3, verbs: [.create: 3, .createLarge: 2],
        names: ["a", "b", "c"], rounds: 1...2)
}
