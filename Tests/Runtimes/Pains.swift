internal import Foundation

/// What breaks on a device alone, in Swift: each mistake beside its twin, which is right. The first argument
/// is the pain, the second `mistake` or `twin`.
struct Pains {
    let isRight: Bool

    private static let files = FileManager.default
    private var documents: URL { Self.files.urls(for: .documentDirectory, in: .userDomainMask)[0] }
    private var caches: URL { Self.files.urls(for: .cachesDirectory, in: .userDomainMask)[0] }
    private var support: URL {
        Self.files.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    }

    /// - Returns: the outcome.
    func run(_ pain: String) throws -> String {
        switch pain {
        case "data-in-caches": try keepADraft(in: isRight ? support : caches)
        case "picked-in-tmp": try openWhatWasPicked()
        case "group": try saveForTheGroup()
        case "missing-document": try openTheList()
        case "one-file-for-all": try addEntry()
        default: throw CocoaError(.featureUnsupported)
        }
    }

    /// Saves at the first start, which leaves a mark, and reads at the next.
    private func saveOrRead(_ file: URL, _ save: () throws -> Void) throws -> String {
        let mark = documents.appending(path: "../Library/has-started")
        if Self.files.fileExists(atPath: mark.path) {
            return (try? String(contentsOf: file, encoding: .utf8)) ?? "\(file.lastPathComponent) is gone"
        }
        try save()
        try "1".write(to: mark, atomically: true, encoding: .utf8)
        return "saved"
    }

    private func keepADraft(in folder: URL) throws -> String {
        let draft = folder.appending(path: "draft.txt")
        return try saveOrRead(draft) {
            try Self.files.createDirectory(at: folder, withIntermediateDirectories: true)
            try "Dear".write(to: draft, atomically: true, encoding: .utf8)
        }
    }

    /// A picker puts a copy of what a person picks into tmp.
    private func openWhatWasPicked() throws -> String {
        let copy = Self.files.temporaryDirectory.appending(path: "receipt.pdf")
        let own = documents.appending(path: "receipt.pdf")
        return try saveOrRead(isRight ? own : copy) {
            try "a receipt".write(to: copy, atomically: true, encoding: .utf8)
            if isRight { try Self.files.moveItem(at: copy, to: own) }
        }
    }

    /// Where `containerURL(forSecurityApplicationGroupIdentifier:)` leads to, which Linux has not.
    private func saveForTheGroup() throws -> String {
        let groups = "/private/var/mobile/Containers/Shared/AppGroup"
        guard let group = try? Self.files.contentsOfDirectory(atPath: groups).first else { return "no group" }
        try "1".write(toFile: "\(groups)/\(group)/shared.txt", atomically: true, encoding: .utf8)
        return "saved"
    }

    /// A list that syncs, and is to be one on all devices.
    private func openTheList() throws -> String {
        let list = documents.appending(path: "list.txt")
        if let text = try? String(contentsOf: list, encoding: .utf8) { return text }
        if isRight { return "not here yet" }
        try "list \(UUID().uuidString)".write(to: list, atomically: true, encoding: .utf8)
        return "made"
    }

    /// An entry of this device.
    private func addEntry() throws -> String {
        let name = isRight ? "entry-\(UUID().uuidString).txt" : "entries.txt"
        let file = documents.appending(path: name)
        let before = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let entry = "\(UUID().uuidString)\n"
        try (before + entry).write(to: file, atomically: true, encoding: .utf8)
        return "added"
    }
}
