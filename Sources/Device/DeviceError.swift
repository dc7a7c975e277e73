internal import GRDB
internal import Posix
internal import PropertyLists
internal import SystemPackage

/// Why the device refused or failed: one line that says what, why, and what to do.
public struct DeviceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart; the text is for people.
    public enum Kind: String, Sendable {
        case unknownApp, ambiguousApp, alreadyThere, notAnApp, badValue, newerCatalogue, notADevice
        case noRoom, system
    }

    public let kind: Kind
    /// One line, without `apphome: error:` before it; names from outside stand in it without control
    /// characters.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message.printableLine
    }

    public var description: String { message }

    /// A failed system call while doing `what` ("install Recipes").
    static func system(_ what: String, _ errno: Errno) -> DeviceError {
        switch errno {
        case .noSpace, Errno(rawValue: 122):
            DeviceError(.noRoom, "cannot \(what): no space left where the device is; free some and try again")
        case .permissionDenied, .notPermitted:
            DeviceError(.system, "cannot \(what): \(errno); look at the owner and mode of the files")
        case .noSuchFileOrDirectory, .notDirectory:
            DeviceError(.system, "cannot \(what): \(errno); look at the path and the folders above it")
        default:
            DeviceError(.system, "cannot \(what): \(errno); try again, and look at the disk if it stays so")
        }
    }

    /// Runs `body`, turning whatever it throws into one line about `what`.
    static func translating<R: ~Copyable>(_ what: String, _ body: () throws -> R) throws(DeviceError) -> R {
        do {
            return try body()
        } catch let error as DeviceError {
            throw error
        } catch Errno.canceled {
            throw DeviceError(.system, "interrupted: nothing has changed (to \(what))")
        } catch let error as Errno {
            throw .system(what, error)
        } catch let error as PropertyListError {
            throw DeviceError(.notAnApp, "cannot \(what): \(error.reason)")
        } catch let error as DatabaseError {
            let full = error.resultCode == .SQLITE_FULL
            throw full ? .system(what, .noSpace) : .catalogue(what, error.message ?? "\(error.resultCode)")
        } catch {
            throw DeviceError(.system, "cannot \(what): \(error)")
        }
    }

    private static func catalogue(_ what: String, _ reason: String) -> DeviceError {
        DeviceError(
            .system,
            "cannot \(what): the catalogue answers \"\(reason)\"; look at catalogue.sqlite in the device")
    }
}
