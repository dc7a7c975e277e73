internal import Logging

/// What the daemon writes to `run/daemon.log`, or to the terminal with `--foreground`.
struct DaemonLog: Sendable {
    private let logger: Logger

    init() { logger = Logger(label: "apphome") { StreamLogHandler.standardError(label: $0) } }

    func write(_ text: String) { logger.info("\(text)") }
}
