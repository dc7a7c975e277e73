import CloudSync
import Databases
import Foundation
import Glibc
import Posix
import TestKit
import Testing

@testable import SyncContent
@testable import SyncLog

/// Work on a database that takes long keeps nobody waiting.
@Suite(.enabled(if: Process.effectiveUserID == 0)) struct HomeDiskSlowDatabaseTests {
    /// Ends what it was given when it is told to.
    private final class SlowAccess: DatabaseAccess {
        static let bytes = Array("a copy".utf8)
        private let state = Gate((begun: 0, mayEnd: 0))

        var begun: Int { state.update { $0.begun } }
        func letEnd() { state.update { $0.mayEnd += 1 } }

        private func work() -> DatabaseOutcome {
            let number = state.update { state in
                state.begun += 1
                return state.begun
            }
            let isEnded: Bool? = state.wait(timeoutSeconds: 60) { $0.mayEnd >= number ? true : nil }
            return isEnded == nil ? .failed : .done
        }

        func copy(_ path: LocalPath, to target: Int32) -> DatabaseOutcome {
            defer { _ = Self.bytes.withUnsafeBytes { pwrite(target, $0.baseAddress, $0.count, 0) } }
            return work()
        }

        func checkpoint(_ path: LocalPath) -> DatabaseOutcome { work() }
    }

    /// A database with a log that an app has open.
    private func open(_ fixture: borrowing HomeDiskFixture) throws -> SQLiteProgram {
        let app = try SQLiteProgram(fixture.documents + "/d.sqlite")
        try app.run("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1);")
        _ = try fixture.changes()
        return app
    }

    /// What goes on ends, and the disk says so.
    private func end(_ slow: SlowAccess, _ wakes: Wakes) {
        let before = wakes.count
        slow.letEnd()
        #expect(eventually { wakes.count > before })
    }

    @Test func aCopyThatTakesLongIsTakenUpByALaterLook() throws {
        let slow = SlowAccess()
        let fixture = try HomeDiskFixture(slow: slow)
        let app = try open(fixture)
        let fingerprint = try fixture.item("d.sqlite").fingerprint
        for _ in 0..<3 {
            #expect(throws: LocalError.inUse) { try fixture.read("d.sqlite", expecting: fingerprint) }
        }
        #expect(eventually { slow.begun == 1 })
        end(slow, fixture.wakes)
        #expect(try fixture.read("d.sqlite", expecting: fingerprint) == "a copy")
        #expect(slow.begun == 1)
        app.quit()
    }

    @Test func aCopyOfAnotherFileThatHadTheNameIsNotTaken() throws {
        let slow = SlowAccess()
        let fixture = try HomeDiskFixture(slow: slow)
        let first = try open(fixture)
        #expect(throws: LocalError.inUse) { try fixture.read("d.sqlite") }
        first.quit()
        unlink(fixture.documents + "/d.sqlite")
        end(slow, fixture.wakes)
        let second = try open(fixture)
        fixture.clock.move(seconds: 60)
        #expect(throws: LocalError.inUse) { try fixture.read("d.sqlite") }
        #expect(eventually { slow.begun == 2 })
        slow.letEnd()
        second.quit()
    }

    /// The log that lies there by then may be another one, and would be removed with what is in it.
    @Test func aCheckpointOfEarlierSaysNothingOfALaterLog() throws {
        let slow = SlowAccess()
        let fixture = try HomeDiskFixture(slow: slow)
        let app = try open(fixture)
        // Ended without a checkpoint.
        app.kill()
        let fingerprint = try fixture.item("d.sqlite").fingerprint
        #expect(throws: LocalError.inUse) {
            try fixture.place("new", at: "d.sqlite", displacing: fingerprint)
        }
        #expect(eventually { slow.begun == 1 })
        end(slow, fixture.wakes)
        #expect(throws: LocalError.inUse) {
            try fixture.place("new", at: "d.sqlite", displacing: fingerprint, as: "ab02")
        }
        #expect(eventually { slow.begun == 2 })
        slow.letEnd()
    }
}
