internal import Foundation
internal import Glibc
internal import Posix
internal import TestKit

/// Devices that write at once on one real store, with what may go wrong, and whether anything was lost.
struct Storm {
    struct Options {
        var devices = 4
        var seconds = 10.0
        /// Seconds between two ends of a device's daemon by SIGKILL; 0: none.
        var deviceKills = 0.0
        /// Likewise of the server.
        var serverKills = 0.0
        /// The devices reach the server by a way on which requests get lost.
        var faults: FaultProxy.Faults?
        /// Microseconds between two steps of a writer, on average.
        var pause = 50_000
        var convergenceSeconds = 120.0
        /// On a store in a folder, where nothing gets lost on the way and no server can be ended.
        var usesFolder = false
        /// Leaves the devices' folders where something was found.
        var keeps = false
        var seed = UInt64.random(in: 1...1_000_000)
        /// Told what happens; nil: nobody.
        var say: ((String) -> Void)?
    }

    /// What came of it.
    struct Report {
        var acknowledged = 0
        var documents = 0
        var versions = 0
        /// Empty where all is well.
        var findings: [String] = []
    }

    let options: Options
    private var random: SeededRandom

    init(_ options: Options) {
        self.options = options
        random = SeededRandom(seed: options.seed)
    }

    /// - Throws: where the harness itself, or a command that has to succeed, failed.
    mutating func run() throws -> Report {
        let server = try options.usesFolder ? nil : server()
        defer { if options.serverKills > 0 { try? server?.stop() } }
        let proxy = try server.flatMap { server in
            try options.faults.map { try FaultProxy(to: server.port, faults: $0, seed: options.seed) }
        }
        defer { proxy?.end() }
        // The probe of a new account tells faults from a store that may not be shared by their answers.
        proxy?.set(.none)
        let store = server.map { FleetStore.seaweed($0, port: proxy?.port) } ?? .folder
        var fleet = try Fleet(options.devices, on: store)
        try fleet.mountAll()
        if let faults = options.faults { proxy?.set(faults) }
        let ledger = try Ledger(path: fleet.folder + "/ledger")
        try blow(fleet, server, ledger)
        proxy?.set(.none)
        say("\(ledger.acknowledgedCount) writes were acknowledged; \(proxy?.counts ?? [:])")
        let report = try fleet.report(ledger, convergenceSeconds: options.convergenceSeconds)
        if options.keeps, !report.findings.isEmpty {
            fleet.isKept = true
            say("kept: \(fleet.folder)")
        }
        return report
    }

    /// One that may be ended is no one else's.
    private func server() throws -> SeaweedProcess {
        try options.serverKills > 0
            ? SeaweedProcess(folder: SeaweedProcess.temporaryPath()) : SeaweedProcess.shared.get()
    }

    func say(_ what: String) { options.say?(what) }

    /// Lets the writers work for their time, and ends what has to be ended meanwhile.
    private mutating func blow(
        _ fleet: borrowing Fleet, _ server: SeaweedProcess?, _ ledger: Ledger
    ) throws {
        let devices = fleet.devices
        let orders = devices.map { _ in Lock(Writer.Orders()) }
        var threads: [Joined] = []
        for (device, orders) in zip(devices, orders) {
            let writer = Writer(
                device, of: devices.count, ledger: ledger, orders: orders, pause: options.pause,
                seed: options.seed)
            threads.append(
                Joined(
                    try NativeThread(name: "writer") {
                        var writer = writer
                        writer.run()
                    }))
        }
        defer {
            for orders in orders { orders.withLock { $0 = Writer.Orders(isOver: true) } }
            for thread in threads { thread.join() }
        }
        let end = Deadline(seconds: options.seconds)
        var next = (device: due(options.deviceKills), server: due(options.serverKills))
        while !end.hasPassed {
            usleep(20_000)
            if next.device?.hasPassed ?? false {
                let victim = random.below(devices.count)
                try restart(devices[victim], orders[victim])
                next.device = due(options.deviceKills)
            }
            if let server, next.server?.hasPassed ?? false {
                try restart(server)
                next.server = due(options.serverKills)
            }
        }
    }

    private func due(_ seconds: Double) -> Deadline? { seconds > 0 ? Deadline(seconds: seconds) : nil }

    /// kill -9 of a daemon; then it is mounted again.
    private mutating func restart(_ device: FleetDevice, _ orders: Lock<Writer.Orders>) throws {
        say("device \(device.index) is killed")
        orders.withLock { $0.isDown = true }
        device.kill()
        usleep(UInt32(random.below(1_000_000)))
        try device.mount()
        orders.withLock { $0.isDown = false }
    }

    /// kill -9 of the server; then it is started again on its data.
    private mutating func restart(_ server: SeaweedProcess) throws {
        let running = try SeaweedProcess(folder: server.folder)
        say("the server is killed")
        kill(running.processID, SIGKILL)
        usleep(UInt32(random.below(2_000_000)))
        _ = try SeaweedProcess(folder: server.folder)
    }
}
