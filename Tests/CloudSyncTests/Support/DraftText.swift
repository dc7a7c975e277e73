import CloudSync
import Testing

@testable import SyncLog

extension TestDevice {
    /// The drafts as lines, with the names that items had when they were made.
    func lines(_ plan: UpPlan) throws -> [String] {
        try plan.drafts.map { draft in
            let known = try storage.read { try $0.synced(draft.file)?.name } ?? draft.name
            let parent = try storage.read { try $0.synced(draft.parent)?.name } ?? ""
            return switch draft.kind {
            case .create: "create \(draft.path.text)"
            case .edit: "edit \(known)"
            case .move: "move \(known) -> \(parent)/\(draft.name)"
            case .park: "park \(known)"
            case .setAttributes: "attributes \(known)"
            case .delete: "delete \(known)"
            case .withdraw: "withdraw \(known)"
            case .refresh: "refresh \(known)"
            case .forget: "forget \(known)"
            }
        }
    }

    /// What would be told now.
    func lines() throws -> [String] { try lines(planUp()) }

    /// A device on which this was written, told and agreed.
    static func synced(
        _ files: [String: String], directories: [LocalPath] = [], rules: SafetyRules = .all
    ) throws -> TestDevice {
        let device = TestDevice(1, TestCloud(), rules: rules)
        for path in directories { device.disk.makeDirectory(path) }
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            device.disk.write(text, to: LocalPath(stringLiteral: name))
        }
        try device.up()
        #expect(try device.lines().isEmpty)
        return device
    }

    func row(_ path: LocalPath) throws -> SyncedItem? {
        try storage.read { transaction in
            var found: SyncedItem?
            for name in path.names {
                found = try transaction.synced(in: found?.file ?? .root, named: name)
            }
            return found
        }
    }
}

extension DownAction {
    var text: String {
        let what =
            switch kind {
            case .place(let content): "place \(content.sizeBytes)"
            case .make(let content): "make \(content)"
            case .rename: "rename"
            default: "\(kind)"
            }
        return "\(what) \(name) (\(node.name) \(node.isLive) \(file.bits % 1000))"
    }
}
