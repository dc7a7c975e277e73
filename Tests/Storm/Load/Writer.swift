internal import CLinux
internal import Foundation
internal import Glibc
internal import Posix
internal import SystemPackage
internal import TestKit

/// A program that works in the Documents of one device, as fsstress does, and has every write that it was
/// promised in the ledger.
///
/// So that what the ledger says is exact, no step makes the program delete what its person had not in hand,
/// as SYNC.md 5 has it: a save and a rename within a moment are a delete of the old document and of its
/// versions. Documents named `s…` are saved and edited by all devices, never renamed or deleted; those named
/// `m…` are edited in place and renamed, to a name that was never there; those named `oN-…` are made and
/// deleted by device N and edited by the next one.
struct Writer {
    /// What the others tell it.
    struct Orders {
        var isOver = false
        /// The device's daemon was ended, and its mount is dead.
        var isDown = false
    }

    let device: FleetDevice
    let fleetSize: Int
    let ledger: Ledger
    let orders: Lock<Orders>
    /// Microseconds between two steps, on average.
    var pause: Int
    var random: SeededRandom
    /// The last token's and the last own document's number.
    var number = 0
    /// What lies in `aside`, or would have: a document that was to change places with another.
    var pending: Document?

    /// Where saves are made before they take their place; in the home, and not synced.
    var aside: String { device.library + "/storm-save" }

    init(
        _ device: FleetDevice, of fleetSize: Int, ledger: Ledger, orders: Lock<Orders>, pause: Int,
        seed: UInt64
    ) {
        self.device = device
        self.fleetSize = fleetSize
        self.ledger = ledger
        self.orders = orders
        self.pause = pause
        random = SeededRandom(seed: seed &+ UInt64(device.index) &* 7919)
    }

    /// Works until the orders say that it is over.
    mutating func run() {
        while true {
            let orders = orders.withLock { $0 }
            if orders.isDown {
                usleep(20_000)
                continue
            }
            do throws(Errno) {
                if pending != nil { try recover() }
                if orders.isOver { return }
                try step()
            } catch {
                note(error)
            }
            usleep(UInt32(random.below(2 * pause) + 1))
        }
    }

    /// What others do to the names meanwhile is no finding, nor is what a dead mount answers.
    private func note(_ error: Errno) {
        let usual: [Errno] = [
            .noSuchFileOrDirectory, .notDirectory, .fileExists, .directoryNotEmpty, .isDirectory,
            .invalidArgument,
        ]
        if usual.contains(error) { return }
        let dead: [Errno] = [
            .socketNotConnected, .connectionAbort, .canceled, .ioError, .badFileDescriptor,
        ]
        // The daemon may have been ended a moment before it is said, and be back a moment after it was told.
        if dead.contains(error), eventually(seconds: 2, { orders.withLock { $0.isDown } }) { return }
        ledger.find("device \(device.index): error \(error.rawValue) where none may be")
    }

    mutating func token(_ size: Token.Size) -> Token {
        number += 1
        return Token(device: device.index, number: number, size: size)
    }

    /// Most writes are small.
    mutating func anySize() -> Token.Size {
        switch random.below(40) {
        case 0: .large
        case 1..<6: .middle
        default: .small
        }
    }
}
