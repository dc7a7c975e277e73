internal import CloudStore
internal import CloudSync
internal import SyncContent
internal import SyncLog

/// What people ask sync to do, and what befalls a device or the store.
extension World {
    func happenToStore(_ kind: Plan.Kind) {
        switch kind {
        case .collect(let index): collect(on: devices[index])
        case .endHistory(let index, let number): endHistory(on: devices[index], number)
        case .takeBack(let index): send(devices[index]) { _ = try await $0.takeBackUploads() }
        case .repair(let index):
            send(devices[index]) { engine in
                let report = try await engine.check(sample: 0)
                _ = try await engine.repair(report.damaged)
            }
        case .resolve(let index, let number): resolve(on: devices[index], number)
        case .bringBack(let index, let number): bringBack(on: devices[index], number)
        case .loseObject(let number): loseObject(number)
        case .corruptEntry(let number, let time): corruptEntry(number, time)
        default: break
        }
    }

    func collect(on device: Device) {
        send(device) { [met] engine in
            do { _ = try await engine.collect() } catch CollectionError.clocksApart(let gap) {
                met.note(.refusedCollection)
                throw CollectionError.clocksApart(gap)
            }
        }
    }

    /// Lets a device's engine do something beside its own steps.
    func send(
        _ device: Device, _ errand: @escaping @Sendable (SyncEngine) async throws -> Void
    ) {
        guard let engine = device.engine, device.life != nil else { return }
        device.errands += 1
        Task(executorPreference: executor) { [trace] in
            var outcome = "done"
            do { try await errand(engine) } catch { outcome = "\(error)" }
            trace.note(
                "errand", UInt64(device.index), Trace.fingerprint(outcome.utf8),
                line: "device \(device.index) \(outcome)")
            device.errands -= 1
        }
    }

    private func resolve(on device: Device, _ number: UInt64) {
        var random = WorldRandom(seed: number)
        let conflicts = try? device.home.storage.read { try $0.conflicts(after: nil, limit: .max) }
        guard let node = random.pick(conflicts ?? []), let choice = random.pick(node.contents),
            let keep = choice.revisions.first
        else { return }
        if number % 4 == 3, let version = random.pick(node.versions) {
            return drop(version, of: node, on: device)
        }
        let shown = Set(node.contents.flatMap(\.revisions))
        truth.asked.formUnion(shown)
        let kept: ConflictChoice = random.chance(perMille: 500) ? .both : .version(keep)
        send(device) { [met] engine in
            let outcome = try await engine.resolve(Self.appNames[0], node.id, keeping: kept, shown: shown)
            if case .resolved(let copies, _) = outcome, !copies.isEmpty { met.note(.keptBoth) }
        }
    }

    /// As a person does who removes it beside its document.
    private func drop(_ version: Version, of node: Node, on device: Device) {
        guard (try? device.home.storage.write({ try $0.drop(version.revisions, of: node.id) })) != nil else {
            return
        }
        met.note(.dropped)
        truth.asked.formUnion(version.revisions)
        device.engine?.wake()
    }

    private func bringBack(on device: Device, _ number: UInt64) {
        var random = WorldRandom(seed: number)
        let nodes = try? device.home.storage.read { tree in
            try tree.nodes(after: nil, limit: .max).map { ($0, try tree.history(of: $0.id)) }
        }
        guard let (node, history) = random.pick((nodes ?? []).filter { !$0.0.isLive || !$0.1.isEmpty })
        else { return }
        let isVersionNamed = node.isLive || random.chance(perMille: 300)
        let content = random.pick(history)?.version
        let version = isVersionNamed ? content?.revisions.first : nil
        if case .file(let file) = content?.content {
            truth.broughtBack[node.id, default: []].insert(file.hash)
        }
        send(device) { [met] engine in
            let target = RestorationTarget(file: node.id, version: version)
            let outcome = try await engine.restore(Self.appNames[0], [target])
            if outcome.items > 0 { met.note(.broughtBack) }
        }
    }

    /// Of some items that have one.
    private func endHistory(on device: Device, _ number: UInt64) {
        var random = WorldRandom(seed: number)
        let retained = try? device.home.storage.read { try $0.retainedContents(after: nil, limit: .max) }
        let files = Set((retained ?? []).map(\.file)).sorted().filter { _ in random.chance(perMille: 900) }
        send(device) { _ = try await $0.endHistory(Self.appNames[0], of: files) }
    }

    /// One that the documents need.
    private func loseObject(_ number: UInt64) {
        var random = WorldRandom(seed: number)
        guard let layout, let chunk = random.pick(truth.liveChunks) else { return }
        store.delete(layout.object(of: chunk.hash, at: chunk.locator))
    }

    /// One of those that devices still have to read, mostly.
    private func corruptEntry(_ number: UInt64, _ time: UInt64) {
        var random = WorldRandom(seed: number)
        guard let log = truths.count == 1 ? truth : random.pick(truths) else { return }
        let entries = store.keys(under: "v1/a/\(log.container)/log/")
        guard let key = random.pick(Array(entries.suffix(2))) else { return }
        store.corrupt.insert(key)
        timeline.schedule(in: time) { [store] in store.corrupt.remove(key) }
    }

    /// A request is about to leave.
    func meet(_ kind: RequestKind, _ subject: String, of device: Device) {
        guard let index = device.dues.firstIndex(where: { $0.moment.fits(kind, subject) }) else { return }
        let due = device.dues.remove(at: index)
        trace.note("upon", UInt64(device.index), line: "device \(device.index) \(due.then)")
        switch due.then {
        case .sleep(let time): suspend([device], time)
        case .end(let away): end(device, .killed, away: away)
        case .lose: lose(device)
        }
    }

    /// What was only on it is nobody's debt.
    private func lose(_ device: Device) {
        device.life?.isCutOff = true
        device.life?.end()
        device.life = nil
        device.isGone = true
        for home in device.homes { home.disk.discard() }
        forgive(device.tokens, aside: device.tokensOutOfTheCloud, live: lastingTokens)
    }

    /// Its daemon finds an empty disk at its start, and the full one when that is there again.
    func vanish(_ device: Device, _ time: UInt64) {
        guard device.hiddenRoot == nil else { return }
        end(device, .killed, away: Plan.second)
        device.hiddenRoot = device.disk.root
        device.disk.root = Inode(number: 2, birth: 1, kind: .directory, mode: 0o755)
        timeline.schedule(in: time) { [unowned self] in comeBack(device) }
    }

    func comeBack(_ device: Device) {
        guard let root = device.hiddenRoot else { return }
        end(device, .killed, away: Plan.second)
        device.disk.root = root
        device.hiddenRoot = nil
    }

    /// What a program that frees room does: the bytes lie in the store, and only the name stays here.
    func evict(on device: Device, _ number: UInt64) {
        var random = WorldRandom(seed: number)
        let disk = device.disk
        let row = try? device.home.storage.write { transaction -> SyncedItem? in
            let rows = try transaction.nodes(after: nil, limit: .max).compactMap { node -> SyncedItem? in
                guard node.isLive, case .file(let content) = node.current?.content,
                    let row = try transaction.synced(node.id), row.hash == content.hash, !row.isDataless,
                    let path = try transaction.localPath(of: node.id),
                    let inode = disk.find(path), inode.isFile, inode.links == 1, inode.writers == 0,
                    inode.fingerprint == row.fingerprint
                else { return nil }
                return row
            }
            guard var row = random.pick(rows), let hash = row.hash,
                let path = try transaction.localPath(of: row.file), let inode = disk.find(path)
            else { return nil }
            disk.evict(inode, hash)
            row.isDataless = true
            row.fingerprint = inode.fingerprint
            try transaction.setSynced(row)
            return row
        }
        trace.note("evict", UInt64(device.index), line: "device \(device.index) \(row?.name ?? "nothing")")
    }
}

extension Plan.Moment {
    func fits(_ kind: RequestKind, _ subject: String) -> Bool {
        let isOfBytes =
            subject.hasPrefix(StoreLayout.chunkPrefix) || subject.hasPrefix(StoreLayout.packPrefix)
        return switch (self, kind) {
        case (.commit, .putIfAbsent): subject.hasPrefix("v1/a/") && subject.contains("/log/")
        case (.send, .putIfAbsent): isOfBytes
        case (.look, .head): isOfBytes
        case (.deletion, .delete): isOfBytes
        default: false
        }
    }
}
