internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SyncContent
internal import SystemPackage
internal import Wire

/// Looking after the store: check, collection, copy.
extension CloudCommands {
    /// So many chunks are read and compared with their hash; of all others only that they are there is seen.
    private static let sampledChunks = 64

    func checkCloud(repairs: Bool) throws -> CloudCheckReport {
        try withAllApps { session in
            let report = try session.wait { try await $0.check(sample: Self.sampledChunks) }
            var result = CloudCheckReport(
                references: report.checkedChunks, sampled: report.readChunks, missing: [],
                damaged: report.unreadable.map(\.finding), repaired: 0)
            var left = report.damaged
            if repairs, !left.isEmpty {
                let damaged = left
                result.repaired = try session.wait { try await $0.repair(damaged) }
                left = try session.wait { try await $0.check(sample: Self.sampledChunks) }.damaged
            }
            for item in left {
                let whose = item.container == nil ? " of a backup: make a new snapshot" : ""
                let size = counted(Int(item.chunk.sizeBytes), "byte")
                let text = "chunk \(item.chunk.hash.hex) (\(size))\(whose)"
                switch item.damage {
                case .missing: result.missing.append(text)
                case .wrongBytes: result.damaged.append(text)
                }
            }
            return result
        }
    }

    func collectCloud(isDryRun: Bool) throws -> CloudCollection {
        try withAllApps { session in
            let report = try session.wait {
                try await isDryRun ? $0.collectableObjects() : $0.collect()
            }
            var result = CloudCollection(
                objects: report.keptObjects + report.deletedObjects, deleted: report.deletedObjects,
                freedBytes: Int64(clamping: report.deletedBytes))
            if isDryRun { result.names = report.deleted.map(NamedSize.init) }
            return result
        }
    }

    func takeBackUploads() throws -> CloudCollection {
        try withAllApps { session in
            let taken = try session.wait { try await $0.takeBackUploads() }
            return CloudCollection(
                objects: taken.objects, deleted: taken.objects, freedBytes: Int64(clamping: taken.bytes))
        }
    }

    /// To an empty store, which this device does not change over to.
    func copyAccount(_ arguments: CloudAccountArguments, _ meter: WorkMeter) throws -> String {
        let target = CloudAccount(arguments)
        if case .folder(let path) = try target.storeURL { try mounts.refuseStore(at: path) }
        try target.makeFolder(for: device.owner)
        let store = try target.open(for: device)
        return try cloud.withSession { session in
            let source = session.store
            let shown = Gate(Progress(bytesDone: 0))
            let work = BackgroundWork(session) { _ in
                try await AccountCopy(from: source, to: store).run { report in
                    shown.update { $0 = Progress(report) }
                }
            }
            let report = try Self.result(of: work, shown, meter)
            let size = byteCount(Int64(clamping: report.bytes))
            return "\(report.objects) objects (\(size)) copied to \(target.url)"
        }
    }

    private static func result(
        of work: BackgroundWork<AccountCopy.Report>, _ shown: Gate<Progress>, _ meter: WorkMeter
    ) throws -> AccountCopy.Report {
        do {
            return try work.result { try meter.show(shown.update { $0 }) }
        } catch Errno.canceled {
            // What it has begun to write is written.
            _ = try? work.result()
            throw CommandFailure("interrupted: the copy is no account yet; the same command goes on with it")
        }
    }

    /// With every app that syncs in the engine, so that each may mend what is its own.
    private func withAllApps<Result>(_ body: (CloudSession) throws -> Result) throws -> Result {
        let apps = try device.apps().filter { try cloud.syncs($0) }
        return try cloud.withSession { session in
            func with(_ rest: ArraySlice<InstalledApp>) throws -> Result {
                guard let app = rest.first else { return try body(session) }
                return try session.with(app) { try with(rest.dropFirst()) }
            }
            return try with(apps[...])
        }
    }
}

extension NamedSize {
    fileprivate init(_ object: ObjectInfo) {
        self.init(name: object.key.text, bytes: Int64(clamping: object.sizeBytes))
    }
}

extension Progress {
    fileprivate init(_ report: AccountCopy.Report) {
        self.init(
            bytesDone: Int64(clamping: report.bytes), totalBytes: Int64(clamping: report.totalBytes),
            itemsDone: Int64(report.objects), totalItems: Int64(report.totalObjects))
    }
}
