internal import SyncContent
internal import SyncLog

/// The account's own log: this device and its apps are told there, and read by everybody.
struct AccountLog: Sendable {
    let log: LogClient

    /// Reads it to its end, and tells what it does not say yet.
    /// - Parameter apps: of this device.
    nonisolated(nonsending) func synchronise(_ apps: [SyncedApp]) async throws(SyncFailure) {
        try await log.push()
        // Once more: another device may have taken this one's name meanwhile.
        for _ in 1...2 {
            let news = try news(apps)
            guard !news.isEmpty else { return }
            try log.freeze(news.map(Operation.account))
            try await log.push()
        }
    }

    nonisolated(nonsending) func forget(_ device: DeviceID) async throws(SyncFailure) {
        try await log.push()
        try log.freeze([.account(.forget(device))])
        try await log.push()
    }

    private func news(_ apps: [SyncedApp]) throws(SyncFailure) -> [AccountOperation] {
        try log.storage.reading { transaction in
            var news: [AccountOperation] = []
            if let journal = try transaction.journal() {
                let known = try transaction.accountDevices()
                let name = DeviceNaming(known: known).name(
                    of: journal.device, wished: log.surroundings.settings.deviceName)
                let own = AccountDevice(device: journal.device, name: name)
                if !known.contains(own) { news.append(.device(own)) }
            }
            let known = try transaction.accountApps()
            news += apps.filter { !known.contains($0) }.map(AccountOperation.app)
            return news
        }
    }
}

extension LogClient {
    /// Gives operations the device's next numbers and journals them: from here on they are the same in every
    /// try. The batch before has to be durable. What is too much for one batch becomes several.
    /// - Parameter unproven: items that it brings, whose bytes are to be looked at after it.
    func freeze(_ operations: [Operation], unproven: [FileID] = []) throws(SyncFailure) {
        try freeze(operations) { batch, transaction in
            for file in unproven { try transaction.addUnprovenFile(file) }
            let parts = batch.parts(surroundings.settings.batchLimits).batches
            guard parts.count > 1 else { return }
            try transaction.setInFlight(parts)
            try transaction.changeJournal { $0.nextBatch = batch.n + UInt64(parts.count) }
        }
    }

    /// As one batch.
    /// - Parameter also: what is to be written in the same transaction, knowing the batch.
    func freeze(
        _ operations: [Operation], also: (Batch, any SyncTransaction) throws -> Void
    ) throws(SyncFailure) {
        try storage.writing { transaction in
            guard var journal = try transaction.journal(), try transaction.frozenBatch() == nil else {
                throw SyncFailure.trouble(.disk("the journal has a batch in flight"))
            }
            try refuseUnknownWords(transaction)
            let batch = Batch(device: journal.device, n: journal.nextBatch, operations: operations)
            journal.nextBatch += 1
            try transaction.setJournal(journal)
            try transaction.setFrozenBatch(EncodedBatch(batch))
            try also(batch, transaction)
        }
    }

    /// Begins the journal where the storage was never used, and the tree anew where an earlier build left out
    /// what this one understands: the log has it all.
    func open() throws(SyncFailure) {
        let isOpen = try storage.reading { transaction in
            try transaction.journal() != nil && !transaction.lacksKnownOperations()
        }
        if isOpen { return try cutOversizedBatch() }
        let device = DeviceID(bits: surroundings.randomness.identifier())
        try storage.writing { transaction in
            guard let journal = try transaction.journal() else {
                return try transaction.setJournal(Journal(device: device))
            }
            if try transaction.lacksKnownOperations() { try forgetTree(journal, transaction) }
        }
    }
}
