import Testing

@testable import CloudSync
@testable import SyncLog

/// What a person chooses of a document that has conflict versions, as replay has it.
@Suite struct ConflictResolutionTests {
    /// A document whose current content is 2, with the versions 3 and 4.
    private struct Conflict: ~Copyable {
        var tree: ReplayFixture
        let base: Revision
        let revisions: [Revision]

        init(_ kind: StorageKind = .memory) throws {
            var tree = try ReplayFixture(kind)
            let base = try tree.commit(1, Say.create(1, "a.txt", 1))
            let revisions = try (2...4).map { number in
                try tree.commit(UInt128(number), Say.edit(1, on: base, number, "a.txt"))
            }
            self.base = base
            self.revisions = revisions
            self.tree = tree
        }

        var shown: Set<Revision> { Set(revisions) }

        /// As a device would send it that has read the log to here.
        /// - Parameter first: of the ids that new documents get.
        func operations(
            _ device: UInt128, _ choice: ConflictChoice, shown: Set<Revision>? = nil, ids first: UInt128 = 100
        ) throws -> [Operation] {
            let found = try tree.storage.read {
                try ConflictResolution(
                    FileID(bits: 1), choice, shown: shown ?? self.shown, own: DeviceID(bits: device), in: $0)
            }
            guard let found else { return [] }
            let ids = found.copies.indices.map { FileID(bits: first + UInt128($0)) }
            return found.operations(found.copies.map(\.version.content), ids: ids)
        }

        mutating func commit(_ device: UInt128, _ operations: [Operation]) throws {
            try tree.commit(
                Batch(device: DeviceID(bits: device), n: tree.next(device).n, operations: operations))
        }

        /// What is shown below Documents, each name with its contents.
        var documents: [String: [Int]] {
            get throws {
                let nodes = try tree.storage.read { try $0.children(of: .root) }
                return Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0.contents.map(\.number)) })
            }
        }
    }

    private static let copies = ["", ", 2"].map { "a (conflict, 00000000, 1970-01-01 00-00-00Z\($0)).txt" }
    private static let both = ["a.txt": [2], copies[0]: [3], copies[1]: [4]]

    @Test(arguments: StorageKind.allCases)
    func whatIsDroppedGoesAsItWasSeen(kind: StorageKind) throws {
        var conflict = try Conflict(kind)
        let file = FileID(bits: 1)
        let (three, four) = (conflict.revisions[1], conflict.revisions[2])
        try conflict.tree.storage.write { try $0.drop([four, three], of: file) }
        #expect(try conflict.tree.storage.read { try $0.droppedRevisions() } == [three, four])
        // Another device has the bytes of one of them as well, and nobody has seen that.
        try conflict.tree.commit(9, Say.edit(1, on: conflict.base, 4, "a.txt"))
        let told = try conflict.tree.storage.write { try $0.settleDropped() }
        #expect(told == [.resolve(Resolution(file: file, keep: conflict.revisions[0], contents: [three]))])
        #expect(try conflict.tree.storage.read { try $0.documentsWithDropped() } == 1)
        try conflict.commit(5, told)
        #expect(try conflict.documents == ["a.txt": [2, 4]])
        #expect(try conflict.tree.storage.write { try $0.settleDropped() }.isEmpty)
        #expect(try conflict.tree.storage.read { try $0.droppedVersions() }.isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func conflictsAreFoundByTheirDirectories(kind: StorageKind) throws {
        let conflict = try Conflict(kind)
        let (there, elsewhere) = try conflict.tree.storage.read {
            (try $0.conflicts(in: .root).map(\.id), try $0.conflicts(in: FileID(bits: 1)))
        }
        #expect(there == [FileID(bits: 1)] && elsewhere.isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func ofWhatWasShownOnlyTheChoiceIsLeft(kind: StorageKind) throws {
        var current = try Conflict(kind)
        try current.commit(5, current.operations(5, .current))
        #expect(try current.documents == ["a.txt": [2]])
        #expect(try current.tree.history(1).sorted() == [1, 3, 4])
        var version = try Conflict(kind)
        try version.commit(5, version.operations(5, .version(version.revisions[1])))
        #expect(try version.documents == ["a.txt": [3]])
        var both = try Conflict(kind)
        try both.commit(5, both.operations(5, .both))
        #expect(try both.documents == Self.both)
    }

    @Test func twoDevicesThatKeepBothMakeTheSameDocuments() throws {
        var conflict = try Conflict()
        let one = try conflict.operations(5, .both)
        let two = try conflict.operations(6, .both, ids: 200)
        try conflict.commit(5, one)
        try conflict.commit(6, two)
        #expect(try conflict.documents == Self.both)
        // And who comes later finds nothing to choose.
        #expect(try conflict.operations(7, .both) == [])
    }

    @Test func whoChoosesWhileAnotherKeepsBothTakesNothingAway() throws {
        for isFirst in [true, false] {
            var conflict = try Conflict()
            let both = try conflict.operations(5, .both)
            let choice = try conflict.operations(6, .version(conflict.revisions[2]))
            try conflict.commit(5, isFirst ? both : choice)
            try conflict.commit(6, isFirst ? choice : both)
            var expected = Self.both
            // The choice was made first, or it is no version of the document any more.
            if !isFirst { expected["a.txt"] = [4] }
            #expect(try conflict.documents == expected)
            let history = try conflict.tree.history(1)
            #expect(history.contains(isFirst ? 3 : 2))
        }
    }

    @Test func whatWasNotShownStays() throws {
        var conflict = try Conflict()
        let shown = Set(conflict.revisions.dropLast())
        try conflict.commit(5, conflict.operations(5, .current, shown: shown))
        #expect(try conflict.documents == ["a.txt": [2, 4]])
        // Made by the very device that chooses, it lies on the disk before the person.
        try conflict.commit(4, conflict.operations(4, .current, shown: shown))
        #expect(try conflict.documents == ["a.txt": [2]])
    }

    @Test func whereTheCurrentContentIsAnotherByNowNothingIsSaid() throws {
        let conflict = try Conflict()
        let others = Set(conflict.revisions.dropFirst())
        #expect(try conflict.operations(5, .current, shown: others) == [])
        #expect(try conflict.operations(5, .version(conflict.revisions[1]), shown: others) == [])
        // What is kept both of takes nothing away.
        #expect(try conflict.operations(5, .both, shown: others).count == 3)
        #expect(try conflict.operations(5, .version(conflict.tree.next(9))) == [])
    }

    @Test func aNameThatOtherBytesHaveIsPassedBy() throws {
        var conflict = try Conflict()
        try conflict.tree.commit(5, Say.create(7, Self.copies[0], 70), Say.directory(8, Self.copies[1]))
        try conflict.commit(6, conflict.operations(6, .both))
        let names = [3, 4].map { "a (conflict, 00000000, 1970-01-01 00-00-00Z, \($0)).txt" }
        let expected = ["a.txt": [2], Self.copies[0]: [70], Self.copies[1]: [], names[0]: [3], names[1]: [4]]
        #expect(try conflict.documents == expected)
    }

    @Test func aVersionIsNamedByItsDeviceAndItsTime() {
        let device = DeviceID(bits: 0x4f2a_90c1 << 96)
        var version = Version(
            content: ModelContent.file(1), attributes: Say.attributes,
            revision: Revision(device: device, n: 1, index: 0), position: LogPosition(sequence: 1, index: 0))
        version.attributes.modified = 1_795_858_819_900_000_000
        #expect(version.conflictName(of: "a.b.txt") == "a.b (conflict, 4f2a90c1, 2026-11-28 09-40-19Z).txt")
        version.attributes.modified = -1
        #expect(version.conflictName(of: "a", 2) == "a (conflict, 4f2a90c1, 1969-12-31 23-59-59Z, 2)")
    }
}
