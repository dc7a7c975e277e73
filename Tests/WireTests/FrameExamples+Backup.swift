@testable import Wire

extension BackupRequest: FrameExamples {
    enum Case: CaseIterable {
        case create, measure, createPackage, restore, restorePackage, createSnapshot, listSnapshots
        case restoreSnapshot, undoRestore, reset, forgetUndo, home
    }

    var kind: Case {
        switch self {
        case .create: .create
        case .measure: .measure
        case .createPackage: .createPackage
        case .restore: .restore
        case .restorePackage: .restorePackage
        case .createSnapshot: .createSnapshot
        case .listSnapshots: .listSnapshots
        case .restoreSnapshot: .restoreSnapshot
        case .undoRestore: .undoRestore
        case .reset: .reset
        case .forgetUndo: .forgetUndo
        case .home: .home
        }
    }

    static func examples(of kind: Case) -> [BackupRequest] {
        switch kind {
        case .create:
            [
                .create(.init(apps: ["a.b"], password: "p", mostBytes: 1, prunes: true)), .create(.init()),
            ]
        case .measure: [.measure(apps: ["a.b"])]
        case .createPackage: [.createPackage(app: "a.b", name: "n")]
        case .restore: [.restore(.example), .restore(.init())]
        case .restorePackage:
            [.restorePackage(app: "a.b", remounts: true), .restorePackage(app: nil, remounts: false)]
        case .createSnapshot:
            [
                .createSnapshot(.init(apps: ["a.b"], keep: .newest(1), mostBytes: 2)),
                .createSnapshot(.init(keep: .younger(1))), .createSnapshot(.init()),
            ]
        case .listSnapshots: [.listSnapshots]
        case .restoreSnapshot:
            [
                .restoreSnapshot(.init(choice: .example, atSeconds: 1, device: "d")),
                .restoreSnapshot(.init()),
            ]
        case .undoRestore: [.undoRestore(app: "a.b", remounts: true, isConfirmed: true)]
        case .reset: [.reset(app: "a.b", remounts: true)]
        case .forgetUndo: [.forgetUndo(apps: ["a.b"], isConfirmed: true)]
        case .home: HomeSnapshotRequest.allExamples.map(BackupRequest.home)
        }
    }
}

extension HomeSnapshotRequest: FrameExamples {
    enum Case: CaseIterable { case take, list, remove, compare }

    var kind: Case {
        switch self {
        case .take: .take
        case .list: .list
        case .remove: .remove
        case .compare: .compare
        }
    }

    static func examples(of kind: Case) -> [HomeSnapshotRequest] {
        switch kind {
        case .take: [.take(app: "a.b", name: "n")]
        case .list: [.list(app: "a.b")]
        case .remove: [.remove(app: "a.b", name: "n")]
        case .compare:
            [.compare(app: "a.b", from: "n", to: "m"), .compare(app: "a.b", from: "n", to: nil)]
        }
    }
}

extension RestoreArguments {
    fileprivate static let example = RestoreArguments(
        apps: ["a.b"], allGroups: true, remounts: true, salvages: true, isDryRun: true, password: "p")
}

extension BackupAnswer: FrameExamples {
    enum Case: CaseIterable {
        case created, measured, restored, snapshots, undoCopies, homeSnapshotTaken, homeSnapshots
        case comparedSnapshots
    }

    var kind: Case {
        switch self {
        case .created: .created
        case .measured: .measured
        case .restored: .restored
        case .snapshots: .snapshots
        case .undoCopies: .undoCopies
        case .homeSnapshotTaken: .homeSnapshotTaken
        case .homeSnapshots: .homeSnapshots
        case .comparedSnapshots: .comparedSnapshots
        }
    }

    static func examples(of kind: Case) -> [BackupAnswer] {
        let part = CloudSnapshot.Part(identifier: "a.b", version: "1.0", time: "t", files: 1, bytes: 2)
        switch kind {
        case .created:
            return [
                .created(
                    .init(
                        name: "n", apps: ["a.b"], appNames: ["N"], groups: ["group.g"], items: 1, files: 2,
                        bytes: 3, unchangedFiles: 4, leftOut: [.init(domain: "d", path: "p", reason: "r")],
                        leftOutCount: 5, flagged: 8, sentBytes: 6, pruned: 7)),
                .created(.init(name: "n")),
            ]
        case .measured:
            return [
                .measured(
                    .init(
                        areas: [.init(owner: "a.b", name: "N", area: "Documents", files: 1, bytes: 2)],
                        largest: [.init(owner: "a.b", name: "N", path: "p", bytes: 3)], files: 4, bytes: 5))
            ]
        case .restored:
            let app = RestoredApp(
                bundleID: "a.b", name: "N", failure: "f", isPlaceholder: true, files: 1, bytes: 2,
                groups: ["group.g"], carriedFiles: 3, behind: 4, undoBytes: 5, notes: ["n"], lost: ["l"],
                lostCount: 6)
            return [.restored(.init(apps: [app], otherGroups: ["group.h"], notes: ["m"]))]
        case .snapshots:
            return [
                .snapshots([
                    .init(
                        time: "t", device: "d", deviceName: "n", isThisDevice: true, damage: "x", files: 1,
                        bytes: 2, apps: [part], groups: [part])
                ])
            ]
        case .undoCopies: return [.undoCopies([.example])]
        case .homeSnapshotTaken:
            let left = BackupOmission(domain: "d", path: "p", reason: "r")
            return [.homeSnapshotTaken(.init(items: 1, files: 2, bytes: 3, leftOut: [left]))]
        case .homeSnapshots:
            let time = Timestamp(seconds: 1.5)
            return [
                .homeSnapshots([.init(name: "n", time: time, bytes: 1, damage: "x")]),
                .homeSnapshots([.init(name: "m", time: nil, bytes: 2, damage: nil)]),
            ]
        case .comparedSnapshots: return [.comparedSnapshots(from: "/a", to: "/b")]
        }
    }
}

extension UndoCopy {
    static let example = UndoCopy(bundleID: "a.b", name: "N", time: Timestamp(seconds: 1.5), bytes: 1)
}
