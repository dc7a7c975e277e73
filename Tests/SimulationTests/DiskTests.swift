import CloudSync
import Testing

@testable import SyncContent
@testable import SyncLog
@testable import simulate

/// The disk that histories run on has the traps of a real one.
struct DiskTests {
    let ledger = Ledger()
    let timeline = Timeline()
    let disk: Disk
    let door: DiskDoor
    let attributes = Attributes(mode: 0o644, modified: 1)

    init() {
        disk = Disk(device: 0, timeline: timeline, ledger: ledger)
        door = DiskDoor(disk, life: Life(device: 0, number: 1), trace: Trace())
    }

    @Test func aNumberComesAgainAtOnceWithAnotherBirth() throws {
        let slot = try #require(disk.slot(LocalPath(["a"])))
        let first = try #require(disk.create(.file, at: slot))
        disk.unlink(slot)
        timeline.spend(1)
        let second = try #require(disk.create(.file, at: slot))
        #expect(first.number == second.number)
        #expect(!first.fingerprint.isSameInode(as: second.fingerprint))
    }

    @Test func aPowerFailureSparesWhatWasFsynced() throws {
        for seed in UInt64(0)..<20 {
            let inode = try #require(file("f\(seed)"))
            disk.fsync(inode)
            let whole = inode.bytes
            disk.write(inode, ledger.makeToken(), size: 40)
            disk.fsync(inode)
            let newest = inode.bytes
            disk.write(inode, ledger.makeToken(), size: 40)
            var random = WorldRandom(seed: seed)
            disk.loseUnsynced(&random)
            #expect(inode.bytes != whole)
            #expect(disk.find(LocalPath(["f\(seed)"])) === inode)
            if Token(whole: inode.bytes) == Token(whole: newest) { #expect(inode.bytes == newest) }
        }
    }

    @Test func aPowerFailureTakesBackARenameWholeOrNotAtAll() throws {
        var places: Set<String> = []
        for seed in UInt64(0)..<50 {
            let inode = try #require(file("a\(seed)"))
            disk.fsync(inode)
            let (from, to) = (LocalPath(["a\(seed)"]), LocalPath(["b\(seed)"]))
            disk.rename(try #require(disk.slot(from)), to: try #require(disk.slot(to)))
            var random = WorldRandom(seed: seed)
            disk.loseUnsynced(&random)
            #expect((disk.find(from) === inode) != (disk.find(to) === inode))
            #expect(inode.links == 1)
            places.insert(disk.find(from) === inode ? "old" : "new")
        }
        #expect(places.count == 2)
    }

    /// What was done with the device that a backup was made of is in the cloud, though the content is back.
    @Test(arguments: [false, true])
    func aPowerFailureTakesBackWhatWasDoneOnThisDiskAlone(isEditedBefore: Bool) throws {
        let inode = try #require(file("a"))
        disk.fsync(inode)
        let token = try #require(Token(whole: inode.bytes))
        timeline.spend(1)
        ledger.now = { [timeline] in timeline.now }
        if isEditedBefore { ledger.supersede(token, on: 0) }
        timeline.spend(1)
        for seed in UInt64(0)..<20 {
            let copy = disk.copy()
            copy.unlink(try #require(copy.slot(LocalPath(["a"]))))
            try #require(!ledger.isOwed(token))
            var random = WorldRandom(seed: seed)
            copy.loseUnsynced(&random)
            if copy.find(LocalPath(["a"])) != nil { #expect(ledger.isOwed(token) == !isEditedBefore) }
        }
    }

    @Test func whatAPowerFailureTakesFromBelowAFlagIsFlaggedNoMore() throws {
        let directory = try #require(disk.slot(LocalPath(["d"])))
        _ = disk.create(.directory, at: directory)
        disk.setFlag(directory, true)
        var kept = 0
        for seed in UInt64(0)..<20 {
            let inode = try #require(file("f\(seed)"))
            disk.fsync(inode)
            let (from, to) = (LocalPath(["f\(seed)"]), LocalPath(["d", "f\(seed)"]))
            disk.rename(try #require(disk.slot(from)), to: try #require(disk.slot(to)))
            var random = WorldRandom(seed: seed)
            disk.loseUnsynced(&random)
            let token = try #require(Token(whole: inode.bytes))
            let isFlagged = ledger.flaggedSince[token]?[0] != nil
            #expect(isFlagged == (disk.find(to) === inode))
            kept += isFlagged ? 1 : 0
        }
        #expect((1..<20).contains(kept))
    }

    @Test func whatIsWrittenThroughAnOpenHandleAfterADownloadIsInStaging() throws {
        let inode = try #require(file("a"))
        inode.writers += 1
        let staged = try door.stage(as: "5a")
        try staged.append([1, 2, 3])
        _ = try door.place(
            staged, at: LocalPath(["a"]), in: nil, attributes: attributes, displacing: inode.fingerprint)
        disk.write(inode, ledger.makeToken(), size: 40)
        #expect(try door.takeDisplaced().isEmpty)
        inode.writers -= 1
        let displaced = try #require(try door.takeDisplaced().first)
        var bytes: [UInt8] = []
        try door.readDisplaced(displaced) { bytes += $0 }
        #expect(displaced.name == "5a")
        #expect(bytes == inode.bytes)
    }

    @Test func aFileThatIsNotWhatWasExpectedIsNotReplaced() throws {
        let inode = try #require(file("a"))
        let before = inode.fingerprint
        disk.write(inode, ledger.makeToken(), size: 40)
        let staged = try door.stage(as: "5a")
        #expect(throws: LocalError.changed) {
            try door.place(
                staged, at: LocalPath(["a"]), in: nil, attributes: attributes, displacing: before)
        }
    }

    /// What sync took lies in staging for a while: no person can take that away.
    @Test func whoTakesTheLastNameThatSyncLeftTakesAll() throws {
        for isTaken in [false, true] {
            let inode = try #require(file("a"))
            let token = try #require(Token(whole: inode.bytes))
            let (first, second) = (LocalPath(["a"]), LocalPath(["b"]))
            disk.link(try #require(disk.slot(first)), to: try #require(disk.slot(second)))
            let staged = "5a\(isTaken)"
            if isTaken { try door.remove(first, expecting: inode.fingerprint, displacedAs: staged) }
            disk.unlink(try #require(disk.slot(second)))
            #expect(ledger.parting(token, on: 0) == (isTaken ? .allNames : .oneName))
            #expect(ledger.isOwed(token))
            #expect(disk.shows(token) == !isTaken)
            if !isTaken { disk.unlink(try #require(disk.slot(first))) }
        }
    }

    @Test func aTornContentIsToldFromAWholeOne() {
        let whole = Token(number: 7).bytes(size: 50)
        #expect(Token(whole: whole) == Token(number: 7))
        #expect(Token(whole: Array(whole.dropLast(20)) + Token(number: 8).bytes(size: 50).suffix(20)) == nil)
        #expect(Token.all(in: [1, 2] + whole + whole) == [Token(number: 7)])
    }

    private func file(_ name: String) -> Inode? {
        guard let slot = disk.slot(LocalPath([name])), let inode = disk.create(.file, at: slot) else {
            return nil
        }
        disk.write(inode, ledger.makeToken(), size: 30)
        return inode
    }
}
