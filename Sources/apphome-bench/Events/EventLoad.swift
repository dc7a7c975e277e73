import CLinux
import Glibc
import Posix
import Synchronization
import SystemPackage
import Wire

/// What makes a device's daemon busy with events while something else measures it.
enum EventLoad: Equatable {
    case watchers(device: String, count: Int)
    case refusals(directory: String, perSecond: Int)

    /// - Returns: nil where the words are of something else.
    init?(arguments: [String]) throws(UsageError) {
        guard let word = arguments.first, word == "watchers" || word == "refusals" else { return nil }
        guard arguments.count == 3, let number = Int(arguments[2]), (1...1_000_000).contains(number) else {
            throw UsageError(
                message: "\(word) takes a directory and a number from 1; see apphome-bench --help")
        }
        self =
            word == "watchers"
            ? .watchers(device: arguments[1], count: number)
            : .refusals(directory: arguments[1], perSecond: number)
    }

    /// Works until a signal comes.
    /// - Returns: what was done.
    func run() throws -> String {
        switch self {
        case .watchers(let device, let count): try Self.watch(device, count)
        case .refusals(let directory, let perSecond): try Self.refuse(directory, perSecond)
        }
    }

    // MARK: - Watchers

    private static func watch(_ device: String, _ count: Int) throws -> String {
        try Process.growDescriptorTable()
        // What watchers do with what they read is not measured.
        NativeThread.yieldToOthers()
        let run = try Descriptor(device + "/run", flags: O_DIRECTORY)
        let poller = try Poller()
        var watchers: [Channel] = []
        for index in 0..<count {
            let watcher = try watcher(in: run)
            if index > 0 { try poller.add(watcher.raw, token: UInt64(index)) }
            watchers.append(watcher)
        }
        print("\(count) watch")
        fflush(nil)
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        var total = 0
        while !isInterrupted.load(ordering: .relaxed) {
            for ready in try poller.wait(until: Deadline(seconds: 0.2)) {
                let got = recv(
                    watchers[Int(ready.token)].raw, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                guard got != 0 else { throw BenchmarkError(message: "the daemon has ended") }
                total += max(got, 0)
            }
        }
        return "\(total) bytes of events read"
    }

    /// A connection that is told what happens.
    private static func watcher(in run: borrowing Descriptor) throws -> Channel {
        let deadline = Deadline(seconds: 10)
        while true {
            let channel = Channel(
                try UnixSocket.connect(in: run, name: "daemon.sock"), limits: .reply)
            try channel.send(Hello())
            let isFull = try channel.receive(Hello.self, idleSeconds: 10).0.isFull == true
            if isFull, !deadline.hasPassed {
                usleep(10_000)
                continue
            }
            try channel.send(Request.watch(app: nil, sinceSeconds: nil))
            guard case .watching = try channel.receive(Answer.self, idleSeconds: 10).0 else {
                throw BenchmarkError(message: "the daemon lets nobody else watch")
            }
            return channel
        }
    }

    // MARK: - Refusals

    private static func refuse(_ directory: String, _ perSecond: Int) throws -> String {
        let folder = try Descriptor(directory, flags: O_DIRECTORY)
        let start = ContinuousClock.now
        var done = 0
        while !isInterrupted.load(ordering: .relaxed) {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            while done < Int(seconds * Double(perSecond)), !isInterrupted.load(ordering: .relaxed) {
                let result = mkdirat(folder.raw, "refused \(done % 100)", 0o755)
                guard result == -1, errno == EPERM || errno == EACCES else {
                    throw BenchmarkError(message: "folders may be made in \(directory): give a home's top")
                }
                done += 1
            }
            usleep(1000)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return "\(Int(Double(done) / seconds)) refusals a second"
    }
}
