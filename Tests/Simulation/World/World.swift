internal import CloudStore
internal import CloudSync
internal import SandboxRules
internal import SyncContent
internal import SyncLog

/// Devices, their people, and the store between them, on one thread and one timeline.
// Unchecked: see WorldExecutor.
final class World: @unchecked Sendable {
    let plan: Plan
    let rules: SafetyRules
    let executor = WorldExecutor()
    let timeline = Timeline()
    let trace = Trace()
    let store: SharedStore
    let ledger = Ledger()
    let met = Met()
    /// Of each app's log.
    let truths: [Truth]
    let keyValueTruth = KeyValueTruth()
    var devices: [Device] = []
    /// What was found wrong, in order; the first ends the run.
    var failures: [String] = []
    /// When a log or a disk last changed.
    var lastChange: UInt64 = 0
    var isCalm = false
    /// Contents that a backup was put over before anybody was told of them.
    var below: [Below] = []
    /// Days go by until then, and no machine is on.
    var allSleepUntil: UInt64 = 0

    init(_ plan: Plan, rules: SafetyRules) {
        self.plan = plan
        self.rules = rules
        store = SharedStore(timeline)
        truths = (0..<plan.apps).map { [rules, ledger, met] _ in
            Truth(rules: rules, ledger: ledger, met: met, unsaid: plan.unsaid)
        }
        trace.now = { [timeline] in timeline.now }
        store.didPut = { [unowned self] key, bytes in didPut(key, bytes) }
        store.didReplace = { [unowned self] key, old, new in
            if key.text.contains("/log/"), old != new { fail("I1: \(key) was replaced") }
        }
        store.didDelete = { [unowned self] key in didDelete(key) }
        store.didListOld = { [met] in met.note(.oldListing) }
        store.didReadCorrupt = { [met] in met.note(.corruptEntry) }
        for app in truths.indices { prepareTruth(of: app) }
        ledger.tell = { [trace] line in trace.sink?(line()) }
        ledger.now = { [timeline] in timeline.now }
        if plan.clockIsOurs {
            truth.pace = TimePace(causes: max(plan.devices, Self.deviceLimit) + plan.clocksSet)
        }
        makeAccount()
        for app in truths.indices { truths[app].container = container(of: app) ?? "" }
        for index in 0..<plan.devices { addDevice(index) }
    }

    private func prepareTruth(of app: Int) {
        let truth = truths[app]
        truth.author = { [unowned self] id in
            devices.first { $0.home(of: app)?.progress.device == id }?.index
        }
        truth.isHeld = { [unowned self] token in
            // Of any app: those contents that all devices have in common come to all apps.
            devices.contains { $0.tokens.contains(token) } || lastingTokens.contains(token)
        }
        truth.isShown = { [unowned self] token, index in
            devices[index].home(of: app)?.disk.shows(token) ?? false
        }
        truth.bounds = plan.bounds?.batches
        truth.list = { [unowned self] list in
            layout.flatMap { store.objects[$0.object(of: list.hash, at: list.locator)]?.bytes }
        }
        truth.tell = { [trace] line in trace.sink?(line()) }
    }

    /// The name of an app's log in the store.
    private func container(of app: Int) -> String? {
        guard let layout, let bundle = BundleIdentifier(Self.appNames[app]) else { return nil }
        return layout.container(bundle).hex
    }

    /// Of the first app's log.
    var truth: Truth { truths[0] }

    /// A new one, with the apps that a device of that number has: the first, and most of them the others.
    @discardableResult
    func addDevice(_ index: Int) -> Device {
        let apps = truths.indices.filter { $0 == 0 || (plan.seed &+ UInt64(index)) % 3 != 2 }
        return addDevice(
            index,
            apps.map { Home(app: $0, disk: Disk(device: index, timeline: timeline, ledger: ledger)) })
    }

    @discardableResult
    func addDevice(_ index: Int, _ homes: [Home]) -> Device {
        let device = Device(index: index, homes: homes)
        device.way.faults = isCalm ? .none : plan.faults
        devices.append(device)
        for home in device.homes { attend(home, of: device) }
        return device
    }

    /// With chunks of a few KiB, so that small contents meet all that large ones do.
    private func makeAccount() {
        var random = WorldRandom(seed: plan.seed, stream: 1 << 60)
        let numbers = (0..<8).map { _ in random.next() }
        let bytes = numbers.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
        guard let key = NameKey(Array(bytes.prefix(32))) else { return fail("no name key") }
        let format = AccountFormat(
            nameKey: key,
            chunking: ChunkingParameters(
                seed: Array(bytes.suffix(32)), minimumBytes: 1 << 10, normalBytes: 2 << 10,
                maximumBytes: 4 << 10, smallFileBytes: 64))
        if let bytes = try? format.encoded() { try? store.put(bytes, at: StoreLayout.format) }
    }

    func fail(_ what: String) {
        failures.append(what)
        trace.note("failed", Trace.fingerprint(what.utf8), line: what)
    }

    private func didPut(_ key: ObjectKey, _ bytes: [UInt8]) {
        met.note(put: key, bytes)
        if key.text.contains("/log/") { lastChange = timeline.now }
        noteKeyValues(key, bytes)
        if key.isOfAppsLog {
            guard let truth = truth(of: key) else { return fail("I1: \(key) is of no app") }
            if truth !== self.truth { met.note(.otherAppsEntry) }
        }
        for truth in truths {
            if let wrong = truth.note(key, bytes) { fail(wrong) }
            if truth.head > entryLimit { fail("I10: the log grows without an end") }
        }
    }

    private func truth(of key: ObjectKey) -> Truth? {
        let parts = key.text.split(separator: "/")
        return truths.first { parts.count == 5 && parts[2] == $0.container }
    }

    /// More entries than people can have given cause for.
    private var entryLimit: UInt64 { UInt64(300 + 10 * plan.steps.count) }

    /// I1: an entry goes only when the floor says so.
    private func didDelete(_ key: ObjectKey) {
        met.note(deleted: key)
        guard key.isOfAppsLog, let slot = key.text.split(separator: "/").last.flatMap({ UInt64($0) }) else {
            return
        }
        guard let truth = truth(of: key) else { return fail("I1: \(key) is of no app") }
        if slot > truth.floor { fail("I1: slot \(slot) is deleted above the floor \(truth.floor)") }
    }

    /// Runs the history, then lets everything come to rest, then checks.
    func run() {
        for device in devices { start(device) }
        planKeyValues()
        for step in plan.steps { timeline.schedule(at: step.time) { [unowned self] in happen(step.kind) } }
        go(until: plan.end) { false }
        calmDown()
        checkAll()
        if plan.lastSleep > 0 {
            happen(.pass(plan.lastSleep))
            go(until: timeline.now + plan.lastSleep) { false }
            calmDown()
            checkAll()
        }
        if failures.isEmpty, plan.isCollected { checkGarbage() }
        stop()
    }

    /// Lets go of everything: what is still to come holds the devices, and their disks hold the timeline;
    /// an engine's requests hold its device, which holds the engine.
    private func stop() {
        for device in devices {
            device.life?.end()
            device.engine = nil
        }
        _ = executor.run(limit: 1_000_000)
        timeline.clear()
    }

    /// Lets time go by until a moment or until something holds.
    func go(until end: UInt64, _ isDone: () -> Bool) {
        while failures.isEmpty, !isDone() {
            guard executor.run(limit: 300_000) else { return fail("I10: jobs go round in a circle") }
            guard let next = timeline.nextTime, next <= end else { return }
            guard timeline.step() else { return }
        }
    }
}

extension ObjectKey {
    /// An entry of the log of an app's documents.
    fileprivate var isOfAppsLog: Bool {
        let parts = text.split(separator: "/")
        return parts.count == 5 && parts[1] == "a" && parts[3] == "log"
    }
}
