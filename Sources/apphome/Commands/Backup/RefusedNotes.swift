internal import ArgumentParser
internal import Wire

/// What of a backup was not believed, said on standard error: the first of it, and how much there is.
struct RefusedNotes {
    private var count = 0
    private static let shown = 100

    mutating func note(_ text: String) {
        count += 1
        if count <= Self.shown { printError("apphome: \(printable(text))") }
    }

    /// - Parameter more: that was not noted one by one.
    /// - Throws: exit status 3 where there was anything.
    func end(more: Int = 0) throws {
        let left = max(0, count - Self.shown) + more
        if left > 0 { printError("apphome: and \(left) more") }
        guard count + more > 0 else { return }
        printError("apphome: \(counted(count + more, "item")) of the backup not shown as it stands")
        throw ExitCode(3)
    }
}
