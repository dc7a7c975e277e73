internal import ArgumentParser
internal import Glibc
internal import Posix
internal import Wire

/// Signing in to another account, and out: what becomes of documents that the device has of the one before.
struct AccountChangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What becomes of documents of the account before: they stay here, or go once it has all of them.",
            valueName: "keep|remove"))
    var documents: LeftDocuments?
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions

    func perform(_ account: CloudAccountArguments) throws {
        let client = try device.connect().showing(shown)
        var account = account
        let isAsked = isatty(STDIN_FILENO) == 1
        // Nothing is lost by it, and nothing goes anywhere.
        account.documents = documents ?? (account.url == "none" && !isAsked ? .keep : nil)
        var change = try client.ask(.setAccount(account))
        if let count = change.undecided {
            account.documents = try choice(for: count, account, isAsked)
            change = try client.ask(.setAccount(account))
        }
        for line in change.lines { print(printable(line)) }
    }

    private func choice(
        for count: Int, _ account: CloudAccountArguments, _ isAsked: Bool
    ) throws -> LeftDocuments {
        let signsOut = account.url == "none"
        let items = count == 1 ? "1 item" : "\(count) items"
        let keep = signsOut ? "they stay on this device" : "they stay here, and go up to \(account.url) too"
        let remove = "they go from this device, once their account has all of them"
        guard isAsked else {
            throw CommandFailure(
                "this device has \(items) of another account: give --documents keep (\(keep)) or"
                    + " --documents remove (\(remove))")
        }
        printError(printable("This device has \(items) of the account that it leaves."))
        printError(printable("  keep    \(keep)"))
        printError(printable("  remove  \(remove)"))
        printError("keep, remove, or nothing [keep/remove/N] ", terminator: "")
        guard let choice = readLine().flatMap({ LeftDocuments(rawValue: $0.lowercased()) }) else {
            throw CommandFailure("the account is as it was")
        }
        return choice
    }
}
