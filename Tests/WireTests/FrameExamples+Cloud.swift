@testable import Wire

extension CloudRequest: FrameExamples {
    enum Case: CaseIterable {
        case account, setAccount, probe, copyAccount, turn, path, status, sync, pause, resume, devices, forget
        case list, remove, removeForEver, log, restore, conflicts, resolve, cat, check, collect, takeBack,
            quota
        case settle
    }

    var kind: Case {
        switch self {
        case .account: .account
        case .setAccount: .setAccount
        case .probe: .probe
        case .copyAccount: .copyAccount
        case .turn: .turn
        case .path: .path
        case .status: .status
        case .sync: .sync
        case .pause: .pause
        case .resume: .resume
        case .devices: .devices
        case .forget: .forget
        case .list: .list
        case .remove: .remove
        case .removeForEver: .removeForEver
        case .log: .log
        case .restore: .restore
        case .conflicts: .conflicts
        case .resolve: .resolve
        case .cat: .cat
        case .check: .check
        case .collect: .collect
        case .takeBack: .takeBack
        case .quota: .quota
        case .settle: .settle
        }
    }

    static func examples(of kind: Case) -> [CloudRequest] {
        switch kind {
        case .account: [.account]
        case .setAccount: [.setAccount(.example), .setAccount(.init(url: "none"))]
        case .probe: [.probe]
        case .copyAccount: [.copyAccount(.example)]
        case .turn: [.turn(app: "a.b", isOn: true)]
        case .path: [.path(app: "a.b")]
        case .status: [.status(app: "a.b"), .status(app: nil)]
        case .sync: [.sync(.init(app: "a.b", confirmsDeletes: true, waits: true)), .sync(.init())]
        case .pause: [.pause(upRate: 1, downRate: 2), .pause(upRate: nil, downRate: nil)]
        case .resume: [.resume(upRate: 1, downRate: 2), .resume(upRate: nil, downRate: nil)]
        case .devices: [.devices]
        case .forget: [.forget(device: "d")]
        case .list: [.list(app: "a.b", path: "p")]
        case .remove: [.remove(app: "a.b", path: "p")]
        case .removeForEver: [.removeForEver(app: "a.b", path: "p")]
        case .log: [.log(app: "a.b", path: "p", limit: 1)]
        case .restore:
            [.restore(app: "a.b", items: ["i"], version: "v"), .restore(app: "a.b", items: [], version: nil)]
        case .conflicts: [.conflicts(app: "a.b")]
        case .resolve: [.resolve(app: "a.b", path: "p", keep: "both")]
        case .cat: [.cat(app: "a.b", path: "p", version: "v"), .cat(app: "a.b", path: "p", version: nil)]
        case .check: [.check(repairs: true)]
        case .collect: [.collect(isDryRun: true)]
        case .takeBack: [.takeBack]
        case .quota: [.quota]
        case .settle: [.settle(directory: "/d", seconds: 1.5), .settle(directory: "/d", seconds: nil)]
        }
    }
}

extension CloudAnswer: FrameExamples {
    enum Case: CaseIterable {
        case account, path, status, devices, items, log, conflicts, synced, removed, check, collected, quota
        case left, accountChange
    }

    var kind: Case {
        switch self {
        case .account: .account
        case .path: .path
        case .accountChange: .accountChange
        case .status: .status
        case .devices: .devices
        case .items: .items
        case .log: .log
        case .conflicts: .conflicts
        case .synced: .synced
        case .removed: .removed
        case .check: .check
        case .collected: .collected
        case .quota: .quota
        case .left: .left
        }
    }

    static func examples(of kind: Case) -> [CloudAnswer] {
        switch kind {
        case .account:
            [
                .account(
                    .init(url: "s3://b/p", accessKey: "k", profile: "p", device: "d", notes: ["n"])),
                .account(.init(url: "none")),
            ]
        case .path: [.path("/p", reason: "r", token: "t"), .path(nil, reason: nil, token: nil)]
        case .accountChange:
            [.accountChange(.init(lines: ["l"], undecided: 2)), .accountChange(.init(lines: ["l"]))]
        case .status: [.status(.example)]
        case .devices:
            [.devices([.init(id: "i", name: "n", lastSeen: Timestamp(seconds: 1.5), isThis: true)])]
        case .items:
            [
                .items([
                    .init(
                        path: "p", kind: "file", size: 1, modified: Timestamp(seconds: 1.5), status: "current"
                    )
                ])
            ]
        case .log:
            [
                .log([
                    .init(
                        sequence: 1, time: Timestamp(seconds: 1.5), device: "d", operation: "o", path: "p",
                        item: "i", version: "v")
                ])
            ]
        case .conflicts:
            [
                .conflicts([
                    .init(
                        path: "p",
                        versions: [
                            .init(
                                id: "i", isCurrent: true, size: 1, hash: "h",
                                modified: Timestamp(seconds: 1.5), committed: Timestamp(seconds: 2.5),
                                device: "d")
                        ])
                ])
            ]
        case .synced: [.synced(.example)]
        case .removed: [.removed(.init(contents: 1, end: Timestamp(seconds: 1.5), kept: 2))]
        case .check:
            [.check(.init(references: 1, sampled: 2, missing: ["m"], damaged: ["d"], repaired: 3))]
        case .collected:
            [.collected(.init(objects: 1, deleted: 2, freedBytes: 3, names: [.init(name: "k", bytes: 4)]))]
        case .quota:
            [
                .quota(
                    .init(
                        quotaBytes: 1, usedBytes: 2, apps: [.init(app: "a.b", bytes: 3)], backupBytes: 4))
            ]
        case .left: [.left(.example)]
        }
    }
}

extension CloudSyncReport {
    fileprivate static let example = CloudSyncReport(
        changes: 1, bytes: 2, downloads: 3, isRescanDue: true, isPaused: true, trouble: "t")
}

extension CloudStatusReport {
    fileprivate static let example = CloudStatusReport(
        account: "a", state: "idle", text: "t", lastContact: Timestamp(seconds: 1.5), quotaBytes: 1,
        usedBytes: 2,
        collection: CloudCollectionRun(ended: Timestamp(seconds: 1), deleted: 2, freedBytes: 3),
        collectionTrouble: "t",
        apps: [
            CloudAppStatus(
                app: "N", bundleID: "a.b", isOn: true, isWatched: true, state: "idle", text: "t",
                pendingFiles: 1, pendingBytes: 2, pendingKeys: 11, uploadRate: 3, pendingDownloads: 4,
                downloadRate: 5, conflicts: 6, dataless: 7, heldDeletes: 8, documents: 9, documentBytes: 10,
                isRescanDue: true, waiting: [.init(path: "p", reason: "quota", text: "t")],
                excluded: [.init(path: "q", reason: "flagged", text: "t")])
        ])
}
