internal import Databases
internal import Posix
internal import SystemPackage

/// Why a snapshot could not be taken or read: one line that says what, why, and what to do.
package struct SnapshotError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description.printableLine }

    /// Runs `body`, turning what the system or SQLite answers into one line about `what` ("read …").
    static func translating<R: ~Copyable>(_ what: String, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as Errno where error != .canceled {
            let advice = error == .noSpace ? "free some room and try again" : "look at the disk"
            throw SnapshotError("cannot \(what): \(error); \(advice)")
        } catch let error as SQLiteError {
            throw SnapshotError("cannot \(what): SQLite answers \"\(error.message)\"")
        }
    }
}
