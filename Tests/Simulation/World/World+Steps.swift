internal import CloudSync

/// What the plan lets happen.
extension World {
    func happen(_ kind: Plan.Kind) {
        trace.note("plan", Trace.fingerprint("\(kind)".utf8), line: "\(kind)")
        // The step that would have made the device may have been dropped.
        guard kind.device.map({ $0 < devices.count && !devices[$0].isGone }) ?? true else { return }
        switch kind {
        case .app(let index, let verb, let number):
            let device = devices[index]
            let act = { [self] in self.act(on: device, verb, number) }
            // A machine that sleeps has apps that sleep.
            if let life = device.life { life.receive(act) } else { act() }
        case .race(let index, let verb, let number, let calls):
            devices[index].races.append(Device.Race(calls: calls, verb: verb, number: number))
        case .end(let index, let ending, let away): end(devices[index], ending, away: away)
        case .endAtWrite(let index, let writes, let isBefore, let ending, let away):
            devices[index].dueEnding = Device.Ending(
                writes: writes, isBefore: isBefore, ending: ending, away: away)
        case .clone(let index): clone(devices[index])
        case .join:
            guard devices.count < Self.deviceLimit else { return }
            let index = devices.count
            start(addDevice(index))
        case .save(let index): devices[index].saved = devices[index].save()
        case .setBack(let index): setBack(devices[index])
        case .storeClock(let seconds): store.clockOffset += seconds
        case .wallClock(let index, let seconds):
            for home in devices[index].homes { home.disk.wallOffset += seconds }
        case .folderClock(let index, let seconds): devices[index].way.clockOffset = seconds
        case .suspend, .offline, .pass, .storeAway, .storeFull, .diskFull: happenForAWhile(kind)
        case .upon(let index, let moment, let then): devices[index].dues.append((moment, then))
        case .vanish(let index, let time): vanish(devices[index], time)
        case .evict(let index, let number): evict(on: devices[index], number)
        case .restore(let index, let number): restore(on: devices[index], number)
        case .resolve, .bringBack, .collect, .takeBack, .endHistory, .repair, .loseObject, .corruptEntry:
            happenToStore(kind)
        }
    }

    private func happenForAWhile(_ kind: Plan.Kind) {
        switch kind {
        case .suspend(let index, let time): suspend([devices[index]], time)
        case .pass(let time):
            allSleepUntil = timeline.now + time
            suspend(devices, time)
        case .offline(let index, let time):
            let device = devices[index]
            device.way.isOffline = true
            timeline.schedule(in: time) { device.way.isOffline = false }
        case .storeAway(let time):
            store.isAway = true
            timeline.schedule(in: time) { [store] in store.isAway = false }
        case .storeFull(let time):
            store.capacityBytes = store.usedBytes
            timeline.schedule(in: time) { [store] in store.capacityBytes = .max }
        case .diskFull(let index, let time):
            let device = devices[index]
            for home in device.homes { home.disk.isFull = true }
            timeline.schedule(in: time) { for home in device.homes { home.disk.isFull = false } }
        default: break
        }
    }

    func act(on device: Device, _ verb: UserVerb, _ number: UInt64) {
        // Of a disk that shows nothing apps see nothing.
        guard device.hiddenRoot == nil, !device.isGone else { return }
        let home = device.home(of: plan.app(for: number)) ?? device.home
        AppUser(home.disk, trace: trace, names: plan.names).act(verb, number)
    }

    func suspend(_ sleepers: [Device], _ time: UInt64) {
        let asleep = sleepers.compactMap(\.life).map { ($0, $0.suspend()) }
        timeline.schedule(in: time) { for (life, suspension) in asleep { life.resume(suspension) } }
    }

    /// Somebody copies a device's folder to another machine, and both go on.
    private func clone(_ device: Device) {
        guard devices.count < Self.deviceLimit else { return }
        let copy = device.save()
        let index = devices.count
        let clone = addDevice(index, copy.homes.map { $0.copy(as: index) })
        (clone.account, clone.replicas, clone.keyValues) = (copy.account, copy.replicas, copy.keyValues)
        ledger.copy(device.index, as: clone.index)
        for home in clone.homes { home.disk.noteFlag(home.disk.root) }
        start(clone)
    }

    /// A backup of the whole machine is put back: what was only here since is nobody's debt.
    private func setBack(_ device: Device) {
        guard let saved = device.saved, device.hiddenRoot == nil else { return }
        if let life = device.life {
            life.isCutOff = true
            life.end()
        }
        device.life = nil
        for home in device.homes { home.disk.discard() }
        let (before, aside) = (device.tokens, device.tokensOutOfTheCloud)
        device.homes = saved.homes.map { $0.copy() }
        device.account = saved.account.clone()
        device.replicas = saved.replicas.mapValues { $0.clone() }
        device.keyValues = saved.keyValues.clone()
        for home in device.homes {
            home.disk.noteFlag(home.disk.root)
            attend(home, of: device)
        }
        device.dueEnding = nil
        device.races = []
        device.dues = []
        let after = device.tokens
        let (committed, live) = (committedTokens, lastingTokens)
        forgive(before.subtracting(after), aside: aside, live: live)
        ledger.undo(on: device.index, since: saved.time, keeping: saved.superseded) {
            live.contains($0) || (after.contains($0) && !committed.contains($0))
        }
        start(device)
    }

    /// Contents that a device has no more: those that never were in the cloud, and those that had left it and
    /// lay there alone, where no other has them; also where they were about to come back.
    func forgive(_ lost: Set<Token>, aside: Set<Token>, live: Set<Token>) {
        let committed = committedTokens
        let withdrawn = Set(truths.flatMap { $0.liveHashes.compactMap(ledger.token) + $0.withdrawn })
        let left = withdrawn.union(aside).subtracting(live)
        for token in lost where !committed.contains(token) || left.contains(token) { ledger.forgive(token) }
    }

    private var committedTokens: Set<Token> { Set(truths.flatMap(\.committed).compactMap(ledger.token)) }

    /// Of what is live in any app's tree and stays so.
    var lastingTokens: Set<Token> { Set(truths.flatMap(\.lastingHashes).compactMap(ledger.token)) }
}
