internal import CLinux
internal import Foundation
public import Posix
public import SandboxRules
internal import SystemPackage

extension Device {
    /// Prepares new, empty containers for an app's data and for `groups`; nothing of the app is touched.
    ///
    /// To be given to `publish`, or to `abandon`.
    /// - Parameters:
    ///   - version: of a placeholder, where no such app is here.
    ///   - groups: those that a placeholder has from then on.
    ///   - unbound: others, which no app has.
    public func stageRestore(
        of bundleID: BundleIdentifier, version: String?, groups: [GroupIdentifier],
        unbound: [GroupIdentifier] = []
    ) throws(DeviceError) -> StagedRestore {
        try performing("restore \(try apps().word(for: bundleID))") {
            let app = try catalogue.app(bundleID)
            let staging = try FileTree.openDirectory(directory, Layout.staging)
            return try StagedRestore(
                bundleID, version: version, replacing: app, groups: groups.map(\.value), in: staging
            ) { folder in
                let data = try stage(nil, replacing: app?.dataContainer, in: folder)
                return try [data]
                    + (groups + unbound).map {
                        try stage($0, replacing: catalogue.groupContainer($0), in: folder)
                    }
            }
        }
    }

    private func stage(
        _ group: GroupIdentifier?, replacing old: UUID?, in folder: Int32
    ) throws -> StagedRestore.Container {
        let id = UUID()
        let kind: Restoration.Kind = group == nil ? .data : .group
        let made = try FileTree.makeDirectory(folder, id.uuidString)
        let replaced = try old.map {
            SharedDescriptor(try FileTree.openDirectory(directory, kind.place($0)))
        }
        return StagedRestore.Container(
            group: group, directory: SharedDescriptor(made), replaced: replaced, id: id, old: old)
    }

    /// Removes what was prepared.
    public func abandon(_ staged: StagedRestore) {
        // What stays in staging goes at the next start.
        try? performing("clear up after a restore") {
            try staged.remove()
            for container in staged.containers {
                guard try !FileTree.exists(directory, container.kind.place(container.id)) else { continue }
                try FolderMove.remove(Layout.staging(of: container.id), in: directory)
            }
        }
    }

    /// Puts filled containers into the place of the app's and its groups', all of them or none: killed at any
    /// point, the device has the old ones or the new ones. Those replaced are kept until the next restore.
    ///
    /// - Parameter willReplace: asked before anything is touched. Throws to refuse.
    /// - Throws: where the app was changed since it was staged.
    public func publish(
        _ staged: StagedRestore, willReplace: () throws -> Void = {}
    ) throws(DeviceError) -> RestoreResult {
        let word = try apps().word(for: staged.bundleID)
        let result = try performing("restore \(word)") {
            try publishing.withLock { _ in
                try finishRemovals(of: staged.bundleID)
                try finishPublications(of: staged.bundleID)
                try finishRestorations(of: staged.bundleID)
                guard try catalogue.app(staged.bundleID) == staged.app else {
                    throw DeviceError(
                        .unknownApp, "\(word) was changed meanwhile; restore it again")
                }
                for container in staged.containers { try complete(container, staged.bundleID) }
                try valueOrErrno(lx_syncfs(staged.directory.raw))
                try restored(.synchronized)
                try willReplace()
                let exchanges = staged.containers.map { Restoration.Exchange($0, of: staged.bundleID) }
                return try exchange(exchanges, AppRecord(placeholder: staged), from: staged.directory.raw)
            }
        }
        abandon(staged)
        return result
    }

    /// Gives an app the containers back that its last restore replaced; those of now are kept in their place.
    ///
    /// - Throws: `badValue` where nothing is kept.
    public func undoRestore(
        of app: InstalledApp, willReplace: () throws -> Void = {}
    ) throws(DeviceError) -> RestoreResult {
        try performing("take the restore of \(app.name) back") {
            try publishing.withLock { _ in
                try finishPublications(of: app.bundleID)
                try finishRestorations(of: app.bundleID)
                try refuseIfChanged(app)
                let exchanges = try catalogue.replaced(by: app.bundleID.value).compactMap { kept in
                    try returning(kept, app)
                }
                guard !exchanges.isEmpty else { throw nothingKept(of: app) }
                try willReplace()
                return try exchange(exchanges, AppRecord(app), from: nil)
            }
        }
    }

    /// A restore of the app was begun, and did not take place: what can be taken back is an older one.
    public func noteFailedRestore(of bundleID: BundleIdentifier) throws(DeviceError) {
        try performing("note what was not restored") { try catalogue.notePassed(bundleID.value) }
    }

    /// What the app's last restore replaced: its own data (no group) and its groups'.
    ///
    /// - Throws: `badValue` where nothing is kept.
    public func replacedContainers(
        of app: InstalledApp
    ) throws(DeviceError) -> [(group: GroupIdentifier?, directory: SharedDescriptor)] {
        try performing("look for what a restore of \(app.name) replaced") {
            let kept = try catalogue.replaced(by: app.bundleID.value)
            guard kept.contains(where: { $0.kind == .data }) else { throw nothingKept(of: app) }
            return try kept.compactMap { kept in
                guard let container = UUID(uuidString: kept.container) else { return nil }
                let path = Layout.replacedContainer(container)
                let directory = SharedDescriptor(try FileTree.openDirectory(directory, path))
                return (kept.kind == .data ? nil : GroupIdentifier(kept.identifier), directory)
            }
        }
    }

    func nothingKept(of app: InstalledApp) -> DeviceError {
        DeviceError(.badValue, "nothing is kept that a restore of \(app.name) replaced: nothing to undo")
    }

    private func returning(
        _ kept: ReplacedContainer, _ app: InstalledApp
    ) throws -> Restoration.Exchange? {
        guard let new = UUID(uuidString: kept.container) else { return nil }
        let old: UUID? =
            switch kept.kind {
            case .data: app.dataContainer
            case .group: try GroupIdentifier(kept.identifier).flatMap { try catalogue.groupContainer($0) }
            }
        // A group that nobody has any more.
        guard let old else { return nil }
        return Restoration.Exchange(
            kind: kept.kind, identifier: kept.identifier, new: new, old: old, isReturning: true)
    }

    /// Makes what a container has on every device.
    private func complete(_ container: StagedRestore.Container, _ bundleID: BundleIdentifier) throws {
        let directory = container.directory.raw
        try makeDirectories(container.group, in: directory)
        if let group = container.group {
            return try writeMetadata(.group, group.value, container.id, in: directory)
        }
        try writeMetadata(.data, bundleID.value, container.id, in: directory)
    }

    private func makeDirectories(_ group: GroupIdentifier?, in directory: Int32) throws(Errno) {
        let library = try ItemStamp.ifPresent(directory, "Library")
        for path in group == nil ? Layout.homeDirectories : Layout.groupDirectories {
            _ = try FileTree.ensureDirectory(directory, path)
        }
        // What is missing in it is not of its last change.
        guard let library else { return }
        let time = timespec(nanoseconds: library.modified)
        try valueOrErrno(lx_utimensat(directory, "Library", [time, time]))
    }

    /// One rename for each container, then one transaction.
    private func exchange(
        _ exchanges: [Restoration.Exchange], _ record: AppRecord, from staging: Int32?
    ) throws -> RestoreResult {
        let restoration = Restoration(
            id: UUID().uuidString, bundleID: record.bundleID, exchanges: exchanges)
        try catalogue.begin(restoration)
        let committed: Restoration
        do {
            try restored(.journaled)
            for exchange in exchanges {
                let place = exchange.kind.place(exchange.new)
                if let staging {
                    try FolderMove.move(staging, exchange.new.uuidString, to: place, in: directory)
                } else {
                    let kept = Layout.replacedContainer(exchange.new)
                    try FolderMove.move(directory, kept, to: place, in: directory)
                }
            }
            try restored(.published)
            committed = try catalogue.commit(restoration, placeholder: record)
        } catch {
            if !(error is ProcessEnded) { try undo(restoration) }
            throw error
        }
        var notes: [String] = []
        do { try finish(committed) } catch  where !(error is ProcessEnded) {
            notes.append("the rest of the restore is done at the device's next start: \(error)")
        }
        guard let id = BundleIdentifier(record.bundleID), let app = try catalogue.app(id) else {
            throw Errno.noSuchFileOrDirectory
        }
        return RestoreResult(app: app, notes: notes)
    }

    /// What remains after the commit: the old containers go where they are kept. May be repeated. Those that
    /// were kept before stay for `removeDiscarded`: nobody finds them there any more.
    private func finish(_ restoration: Restoration) throws {
        try restored(.committed)
        _ = try FileTree.ensureDirectory(directory, Layout.replaced)
        for exchange in restoration.exchanges {
            guard let old = exchange.old, try FileTree.exists(directory, exchange.kind.place(old)) else {
                continue
            }
            let kept = Layout.replacedContainer(old)
            try FolderMove.move(directory, exchange.kind.place(old), to: kept, in: directory)
        }
        try restored(.kept)
        guard restoration.discarded.isEmpty else { return try catalogue.note(restoration, .kept) }
        try catalogue.end(restoration)
        try restored(.ended)
    }

    /// Removes what nobody can go back to since later restores, each container of every app. It may take as
    /// long as a restore; other calls need not wait for it. What is left then is done by the next call.
    ///
    /// - Parameter goesOn: asked before each item: false ends it.
    public func removeDiscarded(while goesOn: () -> Bool = { true }) throws(DeviceError) {
        try performing("remove what restores replaced") {
            try discarding.withLock { _ in
                for restoration in try catalogue.journal(of: Restoration.self)
                where restoration.phase == .kept {
                    try removeDiscarded(of: restoration, while: goesOn)
                    guard goesOn() else { return }
                }
            }
        }
    }

    private func removeDiscarded(of restoration: Restoration, while goesOn: () -> Bool) throws {
        for container in restoration.discarded {
            do throws(Errno) {
                let place = Layout.replacedContainer(container)
                try removeContainer(container, at: place, while: goesOn)
            } catch {
                guard error == .canceled else { throw error }
                return
            }
        }
        try restored(.discarded)
        try catalogue.end(restoration)
        try restored(.ended)
    }

    /// Takes back what was renamed before the commit. May be repeated.
    private func undo(_ restoration: Restoration) throws {
        for exchange in restoration.exchanges {
            let place = exchange.kind.place(exchange.new)
            guard exchange.isReturning else {
                try removeContainer(exchange.new, at: place)
                continue
            }
            guard try FileTree.exists(directory, place) else { continue }
            try FolderMove.move(
                directory, place, to: Layout.replacedContainer(exchange.new), in: directory)
        }
        try catalogue.end(restoration)
    }

    /// Brings an interrupted restore to the end that its phase says.
    func recover(_ restoration: Restoration) throws {
        switch restoration.phase {
        case .publishing: try undo(restoration)
        case .committed: try finish(restoration)
        case .kept: break
        }
    }

    /// What an earlier restore of the same app left to do.
    func finishRestorations(of bundleID: BundleIdentifier) throws {
        for restoration in try catalogue.journal(of: Restoration.self)
        where restoration.bundleID == bundleID.value {
            try recover(restoration)
        }
    }

    /// Removes what the last restore of an app replaced. May be repeated.
    func removeReplaced(of bundleID: String) throws {
        for kept in try catalogue.replaced(by: bundleID) {
            guard let container = UUID(uuidString: kept.container) else { continue }
            try removeContainer(container, at: Layout.replacedContainer(container))
        }
        try catalogue.forgetReplaced(by: bundleID)
    }
}

extension Restoration.Exchange {
    fileprivate init(_ container: StagedRestore.Container, of bundleID: BundleIdentifier) {
        self.init(
            kind: container.kind, identifier: container.group?.value ?? bundleID.value, new: container.id,
            old: container.old, isReturning: false)
    }
}

extension AppRecord {
    /// The app whose data is restored, and whose bundle is not here.
    fileprivate init(placeholder staged: StagedRestore) {
        let identifier = staged.bundleID.value
        self.init(
            bundleID: identifier, name: identifier, displayName: identifier, version: staged.version,
            dataContainer: "", groups: staged.groups,
            sharesITunes: false, opensInPlace: false, documentBrowser: false,
            entitlementsSource: EntitlementsSource.none.rawValue,
            installed: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
    }
}
