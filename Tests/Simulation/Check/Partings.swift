internal import CloudStore
internal import CloudSync
internal import SyncLog

/// How contents left the items that held them while people still had them under other names: by a hard link
/// or an exchange one device keeps a content in `a` and gives up `b`, another the other way round, and each
/// item loses it to an edit of somebody who saw it there (SYNC.md 7, I4). What lies on disks cannot tell.
///
/// Each operation that brought a content has to be answered for by another that named it, from a device
/// whose person took the content from some name. What one device brought twice under two names it answers
/// for twice: that they became one item takes nothing from either. It does so at once where sync had taken
/// the other name, as it does when they become one, and the person then took the last one that was left.
struct Partings {
    private var brought: [ContentHash: Set<Revision>] = [:]
    private var answered: Set<Revision> = []

    /// A batch is about to be applied.
    /// - Parameter parting: how the person of the batch's device took a content from its names.
    mutating func note(
        _ batch: Batch, in tree: any SyncTransaction, parting: (ContentHash) -> Ledger.Parting
    ) throws {
        for (index, operation) in batch.operations.enumerated() {
            switch operation {
            case .create(let new): bring(new.content, batch.revision(of: index))
            case .edit(let edit):
                bring(edit.content, batch.revision(of: index))
                let version = try tree.item(edit.file)?.contents.first { $0.revisions.contains(edit.base) }
                guard let version, let hash = version.fileHash else { continue }
                let names = parting(hash)
                guard names > .none else { continue }
                // Equal contents of others are one with the base; an own one lies in another file.
                answered.formUnion(
                    version.revisions.filter {
                        $0 == edit.base || $0.device != batch.device || names == .allNames
                    })
            case .delete(let deletion):
                let named = Set(deletion.contents)
                for version in try tree.item(deletion.file)?.contents ?? []
                where named.isSuperset(of: version.revisions) {
                    guard let hash = version.fileHash else { continue }
                    let names = parting(hash)
                    guard names > .none else { continue }
                    let own = version.revisions.filter { $0.device == batch.device }
                    if own.count < 2 || names == .allNames { answered.formUnion(version.revisions) }
                }
            default: continue
            }
        }
    }

    /// Nobody has a right to it any more in the cloud.
    func isAnswered(_ hash: ContentHash) -> Bool {
        brought[hash].map(answered.isSuperset) ?? false
    }

    private mutating func bring(_ content: Content, _ revision: Revision) {
        if case .file(let file) = content { brought[file.hash, default: []].insert(revision) }
    }
}

extension Version {
    fileprivate var fileHash: ContentHash? { if case .file(let file) = content { file.hash } else { nil } }
}
