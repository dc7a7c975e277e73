import CloudSync

@testable import SyncContent
@testable import SyncLog

/// For tests of which the directory, or how much is taken at once, is no matter.
extension LocalDisk {
    func takeChanges() -> LocalChanges { takeChanges(limit: .max) }

    func place(
        _ staged: any StagedFile, at path: LocalPath, attributes: Attributes, displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint {
        try place(staged, at: path, in: nil, attributes: attributes, displacing: displacing)
    }

    func make(
        _ content: SmallContent, at path: LocalPath, attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        try make(content, at: path, in: nil, attributes: attributes)
    }

    @discardableResult
    func move(
        _ path: LocalPath, to destination: LocalPath, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint {
        try move(path, to: destination, in: nil, expecting: expecting)
    }
}
