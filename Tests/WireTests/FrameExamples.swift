import PropertyLists

@testable import Wire

/// A message with an example of each of its cases: one that is added does not compile until it has some.
protocol FrameExamples: Codable, Equatable {
    associatedtype Case: CaseIterable & Equatable
    var kind: Case { get }
    /// The first one says all that a message of this case can; others may leave out what is optional.
    static func examples(of kind: Case) -> [Self]
}

extension Request: FrameExamples {
    enum Case: CaseIterable {
        case list, info, unmount, install, new, uninstall, prepareMount, attachMount, seenAt, groupPlace
        case awaitEnd, settings, set, sharingApps, shareList, shareGet, shareRead, sharePut, shareRemove
        case watch, events, findings, clearFindings, leftOutside, copyIn, copyOut
        case preferences, keyValues, doctorFacts, purge, beginRun, endRun, cloud, backup
    }

    var kind: Case {
        switch self {
        case .list: .list
        case .info: .info
        case .unmount: .unmount
        case .install: .install
        case .new: .new
        case .uninstall: .uninstall
        case .prepareMount: .prepareMount
        case .attachMount: .attachMount
        case .seenAt: .seenAt
        case .groupPlace: .groupPlace
        case .awaitEnd: .awaitEnd
        case .settings: .settings
        case .set: .set
        case .sharingApps: .sharingApps
        case .shareList: .shareList
        case .shareGet: .shareGet
        case .shareRead: .shareRead
        case .sharePut: .sharePut
        case .shareRemove: .shareRemove
        case .watch: .watch
        case .events: .events
        case .findings: .findings
        case .clearFindings: .clearFindings
        case .leftOutside: .leftOutside
        case .copyIn: .copyIn
        case .copyOut: .copyOut
        case .preferences: .preferences
        case .keyValues: .keyValues
        case .doctorFacts: .doctorFacts
        case .purge: .purge
        case .beginRun: .beginRun
        case .endRun: .endRun
        case .cloud: .cloud
        case .backup: .backup
        }
    }

    static func examples(of kind: Case) -> [Request] {
        switch kind {
        case .list: [.list]
        case .info: [.info(app: "a.b")]
        case .unmount: [.unmount(source: "s", directory: "/d", isDone: true)]
        case .install:
            [.install(.init(bundleName: "N.app", hasEntitlements: true, dropsCaches: true, remounts: true))]
        case .new:
            [
                .new(
                    .init(
                        name: "N", identifier: "a.b", share: true, files: true, groups: ["group.g"],
                        hasPropertyList: true, hasContent: true,
                        replaces: true)),
                .new(.init(name: "N")),
            ]
        case .uninstall:
            [.uninstall(.init(app: "a.b", deletesCloud: true, isConfirmed: true, isDryRun: true))]
        case .prepareMount: MountKind.allExamples.map { .prepareMount(.example($0)) }
        case .attachMount: [.attachMount]
        case .seenAt: [.seenAt(app: "a.b", kind: .home)]
        case .groupPlace: [.groupPlace(app: "a.b", group: "group.g", isForRun: true)]
        case .awaitEnd: [.awaitEnd(directory: "/d")]
        case .settings: [.settings]
        case .set: [.set(key: "k", value: "v")]
        case .sharingApps: [.sharingApps]
        case .shareList: [.shareList(app: "a.b", from: .example), .shareList(app: "a.b")]
        case .shareGet:
            [
                .shareGet(app: "a.b", name: "n", newName: "m", replaces: true, from: .example),
                .shareGet(app: "a.b", name: "n", newName: "m", replaces: false),
            ]
        case .shareRead:
            [.shareRead(app: "a.b", name: "n", from: .example), .shareRead(app: "a.b", name: "n")]
        case .sharePut: [.sharePut(app: "a.b", name: "n", toInbox: true, replaces: false)]
        case .shareRemove: [.shareRemove(app: "a.b", name: "n")]
        case .watch: [.watch(app: "a.b", sinceSeconds: 1.5), .watch(app: nil, sinceSeconds: nil)]
        case .events: [.events(app: "a.b", after: 7)]
        case .findings: [.findings(app: "a.b", after: 7), .findings(app: nil, after: nil)]
        case .clearFindings: [.clearFindings(app: "a.b"), .clearFindings(app: nil)]
        case .leftOutside:
            [
                .leftOutside(
                    .init([
                        .init(path: "/tmp/f", kind: .file(sizeBytes: 1)),
                        .init(path: "/tmp/d", kind: .directory(items: 2, isMore: true)),
                        .init(path: "/tmp/s", kind: .other), .init(path: "/tmp", kind: .rest(items: 3)),
                    ])),
                .leftOutside(.init()),
            ]
        case .copyIn:
            [.copyIn(.init(app: "a", name: "n", path: "n", isFolder: true, replacesFolders: false))]
        case .copyOut:
            [.copyOut(app: "a", path: "n", newName: "m", takesFolders: true, replacesFolders: false)]
        case .keyValues:
            KeyValueRequest.Action.allExamples.map { .keyValues(.init(app: "a.b", action: $0)) }
        case .preferences:
            PreferenceRequest.Action.allExamples.map { .preferences(.init(app: "a.b", action: $0)) }
        case .doctorFacts: [.doctorFacts(app: "a.b")]
        case .purge: [.purge(.init(app: "a.b", bytesToFree: 1, isDryRun: true)), .purge(.init())]
        case .beginRun: [.beginRun(.init(app: "a.b", program: .example))]
        case .endRun: [.endRun]
        case .cloud: CloudRequest.allExamples.map(Request.cloud)
        case .backup: BackupRequest.allExamples.map(Request.backup)
        }
    }
}

extension PreferenceRequest.Action: FrameExamples {
    enum Case: CaseIterable { case read, write, delete }

    var kind: Case {
        switch self {
        case .read: .read
        case .write: .write
        case .delete: .delete
        }
    }

    static func examples(of kind: Case) -> [Self] {
        switch kind {
        case .read: [.read(key: "k"), .read(key: nil)]
        case .write: PreferenceValue.allExamples.map { .write(key: "k", $0) }
        case .delete: [.delete(key: "k")]
        }
    }
}

extension KeyValueRequest.Action: FrameExamples {
    enum Case: CaseIterable { case get, set, delete, watch }

    var kind: Case {
        switch self {
        case .get: .get
        case .set: .set
        case .delete: .delete
        case .watch: .watch
        }
    }

    static func examples(of kind: Case) -> [Self] {
        switch kind {
        case .get: [.get(key: "k"), .get(key: nil)]
        case .set: [.set([KeyValueItem(key: "k", value: .string("v"))])]
        case .delete: [.delete(key: "k")]
        case .watch: [.watch]
        }
    }
}

extension PreferenceValue: FrameExamples {
    enum Case: CaseIterable { case string, boolean, integer, real, date, data, array, dictionary, other }

    var kind: Case {
        switch self {
        case .string: .string
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        case .other: .other
        }
    }

    static func examples(of kind: Case) -> [PreferenceValue] {
        switch kind {
        case .string: [.string("s")]
        case .boolean: [.boolean(true)]
        case .integer: [.integer(-1)]
        case .real: [.real(0.5)]
        case .date: [.date(1.5)]
        case .data: [.data([0, 255])]
        case .array: [.array([.string("s")])]
        case .dictionary: [.dictionary(["b": .integer(2), "a": .integer(1)])]
        case .other: [.other("o")]
        }
    }
}

extension MountKind: FrameExamples {
    enum Case: CaseIterable { case home, share, bundle, group, groupView, files, device }

    var kind: Case {
        switch self {
        case .home: .home
        case .share: .share
        case .bundle: .bundle
        case .group: .group
        case .groupView: .groupView
        case .files: .files
        case .device: .device
        }
    }

    static func examples(of kind: Case) -> [MountKind] {
        switch kind {
        case .home: [.home]
        case .share: [.share]
        case .bundle: [.bundle]
        case .group: [.group]
        case .groupView: [.groupView]
        case .files: [.files]
        case .device: [.device]
        }
    }
}

extension FrameExamples {
    static var allExamples: [Self] { Case.allCases.flatMap(examples) }
}

extension MountArguments {
    static func example(_ kind: MountKind) -> MountArguments {
        MountArguments(
            app: "a.b", kind: kind, directory: "/d", madeDirectory: true, names: "device",
            attributeList: "user", transport: "ring", data: "splice", isReadOnly: true, showsBundle: true,
            lowDisk: "5%",
            isForRun: true, noSync: true, showsConflicts: true, deep: true, isPrivate: true,
            from: .example, group: "group.g")
    }
}

extension CloudAccountArguments {
    static let example = CloudAccountArguments(
        url: "s3://b/p", accessKeyID: "k", secretAccessKey: "s", sessionToken: "t", profile: "p",
        credentialsFile: "/c", network: ["no_proxy": "b", "https_proxy": "a"], documents: .keep)
}

extension RunningProgram {
    static let example = RunningProgram(pid: 1, command: "c")
}
