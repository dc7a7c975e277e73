import PropertyLists

@testable import Wire

extension Answer: FrameExamples {
    enum Case: CaseIterable {
        case failure, progress, watching, event, dropped, events, findings, cleared, done, note, apps, info
        case installed, uninstalled, mountGranted, mounted, groupPlace, unmounting, settings, items,
            preference, keyValueChange, purged
        case doctorFacts, run, runEnded, cloud, backup
    }

    var kind: Case {
        switch self {
        case .failure: .failure
        case .progress: .progress
        case .watching: .watching
        case .event: .event
        case .dropped: .dropped
        case .events: .events
        case .findings: .findings
        case .cleared: .cleared
        case .done: .done
        case .note: .note
        case .apps: .apps
        case .info: .info
        case .installed: .installed
        case .uninstalled: .uninstalled
        case .mountGranted: .mountGranted
        case .mounted: .mounted
        case .groupPlace: .groupPlace
        case .unmounting: .unmounting
        case .settings: .settings
        case .items: .items
        case .preference: .preference
        case .keyValueChange: .keyValueChange
        case .purged: .purged
        case .doctorFacts: .doctorFacts
        case .run: .run
        case .runEnded: .runEnded
        case .cloud: .cloud
        case .backup: .backup
        }
    }

    static func examples(of kind: Case) -> [Answer] {
        switch kind {
        case .failure: [.failure(CommandFailure("m", exitStatus: 3))]
        case .progress:
            [
                .progress(.init(bytesDone: 1, totalBytes: 2, itemsDone: 3, totalItems: 4)),
                .progress(.init(bytesDone: 1)),
            ]
        case .watching: [.watching(knownSince: Timestamp(seconds: 1.5)), .watching(knownSince: nil)]
        case .event: [.event(.example)]
        case .dropped: [.dropped(count: 3)]
        case .events: [.events([.example], isCut: true)]
        case .findings:
            [
                .findings(.init(findings: [.example], next: 7, forgotten: 8, unexamined: 9)),
                .findings(.init()),
            ]
        case .cleared: [.cleared(count: 7)]
        case .done: [.done]
        case .note: [.note(lines: ["n"])]
        case .apps: [.apps([.example])]
        case .info: [.info(.example)]
        case .installed:
            [
                .installed(
                    .init(
                        bundleID: "a.b", name: "N", version: "1.0", isUpgrade: true, oldVersion: "0.9",
                        notes: ["n"]))
            ]
        case .uninstalled:
            [
                .uninstalled(
                    .init(
                        bundleID: "a.b", name: "N", unsent: 1, unsentNames: ["u"], store: "s",
                        cloudDocuments: 2, parts: [.init(name: "p", bytes: 3)], notes: ["n"]))
            ]
        case .mountGranted:
            [
                .mountGranted(
                    .init(source: "s", appName: "N", documents: "d", notices: ["n"], kernelChecksAccess: true)
                )
            ]
        case .mounted: MountKind.allExamples.map { .mounted(.example($0)) }
        case .groupPlace:
            [
                .groupPlace(.init(directory: "/d", isMounted: true, reason: "r")),
                .groupPlace(.init()),
            ]
        case .unmounting: [.unmounting(removesDirectory: true)]
        case .settings: [.settings([.init(key: "k", value: "v")])]
        case .items: [.items([.init(name: "n", kind: "file", size: 1, modified: Timestamp(seconds: 1.5))])]
        case .preference: PreferenceValue.allExamples.map(Answer.preference)
        case .keyValueChange: [.keyValueChange(KeyValueChangeReport(reason: 1, keys: ["a", "b"]))]
        case .doctorFacts: [.doctorFacts(.example)]
        case .purged:
            [
                .purged([
                    .init(
                        bundleID: "a.b", name: "N", freedBytes: 1, kept: "running", leftItems: 2, undoBytes: 3
                    )
                ])
            ]
        case .run: [.run(.example)]
        case .runEnded: [.runEnded(unmounts: [.home])]
        case .cloud: CloudAnswer.allExamples.map(Answer.cloud)
        case .backup: BackupAnswer.allExamples.map(Answer.backup)
        }
    }
}

extension WatchedEvent {
    fileprivate static let example = WatchedEvent(
        sequence: 1, time: Timestamp(seconds: 1.5), app: "a.b", event: "e", path: "p", detail: "d",
        pid: 7, program: "cat")
}

extension RememberedFinding {
    fileprivate static let example = RememberedFinding(
        app: "a.b", code: "c", path: "p", program: "g", detail: "d", count: 2,
        first: Timestamp(seconds: 1.5), last: Timestamp(seconds: 2.5))
}

extension MountReport {
    fileprivate static func example(_ kind: MountKind) -> MountReport {
        MountReport(
            dir: "/d", pid: 1, kind: kind, data: "splice", dataReason: "r", transport: "ring",
            transportReason: "t")
    }
}

extension AppSummary {
    fileprivate static let example = AppSummary(
        bundleID: "a.b", name: "N", version: "1.0", sharing: .init(itunes: true, files: true),
        isPlaceholder: true, mounts: [.example(.home)],
        crashed: [
            .init(app: "a.b", dir: "/d", kind: .home, time: "t", from: "file:///s", group: "group.g")
        ])
}

extension AppInfo {
    fileprivate static let example = AppInfo(
        bundleID: "a.b", name: "N", version: "1.0", bundle: "/b", home: "/h", groups: ["group.g"],
        sharing: .init(itunes: true, files: true), sizes: ["b": 2, "a": 1], running: true,
        programs: [.example], mounts: [.example(.home)], entitlements: "e", undo: .example)
}

extension RunGrant {
    fileprivate static let example = RunGrant(
        bundleID: "a.b", name: "N", bundleName: "N.app", dataContainer: "d", bundleContainer: "b",
        executable: "N", groups: [.init(name: "group.g", container: "c")], folder: "/f",
        lastEvent: 8)
}

extension DoctorFacts {
    fileprivate static let example = DoctorFacts(
        containers: [NamedContainer(uuid: "U", kind: "data", identifier: "a.b", isCurrent: true)],
        sharing: SharingFacts(itunes: true, opensInPlace: true, documentBrowser: true), syncs: true,
        hasUbiquity: true,
        keyValues: KeyValueFacts(keys: 1, bytes: 2, mostKeys: 3, mostBytes: 4, isEntitled: true),
        sealDifferences: [SealReport(path: "p", change: "changed")], sealDamage: "d")
}
