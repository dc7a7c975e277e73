package import SyncLog

/// Where the bytes of a batch's files will lie. What is new has its locators before anything is sent: they go
/// into the batch, which is journaled first.
package struct ContentPlan: Equatable, Sendable {
    /// In the order in which the files were given.
    package internal(set) var contents: [FileContent]
    /// What is to be sent, in the order of the files.
    package internal(set) var uploads: [PlannedObject]
    /// Of what need not be sent.
    package internal(set) var checks = PresenceChecks()
    /// What is new, as operations tell of it that put a committed chunk elsewhere.
    package var relocations: [Relocation] {
        uploads.flatMap { $0.parts.map { Relocation(chunk: $0.hash, locator: $0.locator) } }
    }
}

/// An object that is to be sent: a chunk, or a pack of some.
package struct PlannedObject: Equatable, Sendable {
    package var name: StoredName
    /// Without gaps, from the object's first byte.
    package var parts: [PlannedPart]
    package var sizeBytes: Int { parts.reduce(0) { $0 + Int($1.sizeBytes) } }
}

/// A chunk, and where its bytes are found: a part of one of the files.
package struct PlannedPart: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt32
    package var locator: Locator
    /// The file's index in the plan.
    package var file: Int
    package var offset: UInt64

    package var range: Range<UInt64> { offset..<offset + UInt64(sizeBytes) }
}

/// The files of a plan, as they lie on this device now.
package protocol UploadSource: Sendable {
    /// These bytes of a file of the plan. What they should be is checked by their hash.
    /// - Throws: `.changed` where the file is not what was planned; `.local`.
    func read(_ file: Int, _ range: Range<UInt64>) async throws(ContentError) -> [UInt8]
    /// Asked just before an object with bytes of these files is sent: the flags of the items and of all their
    /// ancestors are looked at again.
    /// - Throws: `.changed` where one may not leave the device any more: the object is not sent.
    func confirm(_ files: Set<Int>) async throws(ContentError)
}
