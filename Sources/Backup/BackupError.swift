internal import Databases
internal import Posix
internal import PropertyLists
internal import SystemPackage

/// Why a backup could not be made, read or restored: one line that says what, why, and what to do.
public struct BackupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart; the text is for people.
    public enum Kind: String, Sendable {
        /// The folder holds no backup, or one of a form that is not read.
        case notABackup
        /// It is a backup, but what it says is not true: cut off, altered, made to do harm.
        case damaged
        /// It wants a password and none was given.
        case passwordNeeded
        case wrongPassword
        /// The disk has no room for it.
        case noRoom
        /// The option and what is there do not go together.
        case refused
        /// No such domain, app or file in it.
        case notThere
        /// The caller ended it.
        case cancelled
        case system
    }

    public let kind: Kind
    /// One line; names from outside stand in it without control characters.
    public let message: String
    /// What is wrong, without what to do about it.
    let what: String

    public init(_ kind: Kind, _ message: String) { self.init(kind, what: message) }

    private init(_ kind: Kind, what: String, advice: String = "") {
        self.kind = kind
        self.what = what.printableLine
        message = (what + advice).printableLine
    }

    public var description: String { message }

    /// A failed system call while doing `what` ("write the backup").
    static func system(_ what: String, _ errno: Errno) -> BackupError {
        switch errno {
        case .noSpace, .diskQuotaExceeded:
            BackupError(.noRoom, "cannot \(what): no space left there; free some and try again")
        case .canceled: ended(what)
        case .permissionDenied, .notPermitted:
            BackupError(.system, "cannot \(what): \(errno); look at the owner and mode of the files")
        default:
            BackupError(.system, "cannot \(what): \(errno); try again, and look at the disk if it stays so")
        }
    }

    private static func ended(_ what: String) -> BackupError {
        BackupError(.cancelled, "interrupted: nothing has changed (to \(what))")
    }

    static func damaged(_ what: String) -> BackupError {
        BackupError(.damaged, what: what, advice: ": this backup is damaged; use another one")
    }

    /// Runs `body`, turning whatever it throws into one line about `what`.
    static func translating<R: ~Copyable>(_ what: String, _ body: () throws -> R) throws(BackupError) -> R {
        do {
            return try body()
        } catch let error as BackupError {
            throw error
        } catch let error as Errno {
            throw .system(what, error)
        } catch let error as BinaryPlistError {
            throw .damaged("cannot \(what): a property list in it is \(error.reason)")
        } catch let error as PropertyListError {
            throw .damaged("cannot \(what): a property list in it is \(error.reason)")
        } catch let error as SQLiteError {
            if error.isDamage {
                throw .damaged("cannot \(what): Manifest.db is no whole SQLite database (\(error.message))")
            }
            if error.isNoSpace { throw .system(what, .noSpace) }
            throw BackupError(.system, "cannot \(what): SQLite answers \"\(error.message)\"")
        } catch is CancellationError {
            throw ended(what)
        } catch {
            throw BackupError(.system, "cannot \(what): \(error)")
        }
    }
}
