internal import ArgumentParser
internal import CLinux
internal import FuseKit
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// `apphome skip-backup get|set|clear PATH`
struct SkipBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip-backup", abstract: "Excludes items from backup and sync.",
        examples: [
            "apphome skip-backup set ~/notes/Documents/Cache",
            "apphome skip-backup get ~/notes/Documents/Cache/a",
        ],
        subcommands: [Get.self, Set.self, Clear.self])

    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Shows whether an item is excluded, by its own flag or by that of a directory above.",
            examples: ["apphome skip-backup get ~/notes/Documents/a --json"])
        @Argument(help: "A path in a mounted home.") var path: String
        @OptionGroup var output: OutputOptions

        func run() throws {
            let item = try FlaggedItem(path)
            let holder = try item.holder()
            if output.json {
                return try printJSON(Answer(path: item.path, skipped: holder != nil, by: holder))
            }
            switch holder {
            case nil: print(printable("\(path): not skipped"))
            case item.path: print(printable("\(path): skipped"))
            case let holder?: print(printable("\(path): skipped, as all in \(holder)"))
            }
        }

        private struct Answer: Encodable {
            var path: String
            var skipped: Bool
            /// Whose flag it is: the item itself, or a directory above it.
            var by: String?
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Excludes a file, or a directory and everything in it.",
            examples: ["apphome skip-backup set ~/notes/Documents/Cache"])
        @Argument(help: "Paths in a mounted home.") var paths: [String]

        func run() throws { for path in paths { try FlaggedItem(path).set() } }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Removes the item's own flag; that of a directory above stays.",
            examples: ["apphome skip-backup clear ~/notes/Documents/Cache"])
        @Argument(help: "Paths in a mounted home.") var paths: [String]

        func run() throws { for path in paths { try FlaggedItem(path).clear() } }
    }
}

/// An item of a mounted home, and its skip-backup flag: Apple's attributes, through the mount.
struct FlaggedItem {
    /// Absolute; the item itself is not followed where it is a link.
    let path: String
    private let mountPoint: String

    private static let names = ["\(SkipBackup.excludeItem)", "\(SkipBackup.mobileBackup)"]

    init(_ path: String) throws {
        self.path = try MountPoint.resolve(path)
        guard let entry = try MountTable.current().entry(containing: self.path),
            MountSource(entry.source) != nil
        else {
            throw CommandFailure("\(path) is not in a mounted home; mount it first: apphome mount APP DIR")
        }
        mountPoint = entry.mountPoint
    }

    /// The path of whose flag covers this item: its own, or that of the nearest directory above it.
    func holder() throws -> String? {
        guard try !isFlagged(path) else { return path }
        var above = FilePath(path)
        while above.string != mountPoint, above.removeLastComponent() {
            if try isFlagged(above.string) { return above.string }
        }
        return nil
    }

    func set() throws {
        let value = SkipBackup.value
        try check("flag", lx_setxattrat(lx_at_fdcwd, path, Self.names[0], value, UInt64(value.count), 0))
    }

    func clear() throws {
        for name in Self.names {
            let result = lx_removexattrat(lx_at_fdcwd, path, name)
            if -result != Errno.noData.rawValue { try check("clear the flag of", result) }
        }
    }

    private func isFlagged(_ path: String) throws -> Bool {
        for name in Self.names {
            var value = [UInt8](repeating: 0, count: 64 << 10)
            let size = lx_getxattrat(lx_at_fdcwd, path, name, &value, UInt64(value.count))
            if size == -Int64(Errno.noData.rawValue) { continue }
            try check("read the flag of", Int32(clamping: size))
            let isSet = Array(name.utf8).withUnsafeBytes { name in
                value.withUnsafeBytes {
                    SkipBackup.isSet(name: name, value: .init(rebasing: $0[..<Int(size)]))
                }
            }
            if isSet { return true }
        }
        return false
    }

    private func check(_ action: String, _ result: Int32) throws {
        guard result < 0 else { return }
        let errno = Errno(rawValue: -result)
        let reason =
            errno == .notPermitted
            ? "the flag is for files and directories that the app may change" : "\(errno)"
        throw CommandFailure("cannot \(action) \(path): \(reason)")
    }
}
