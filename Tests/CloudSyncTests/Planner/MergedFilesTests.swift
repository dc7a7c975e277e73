import CloudStore
import CloudSync
import Testing

@testable import SyncLog

/// Two files of a device became one item, because somebody gave one of them the other's name (SYNC.md 3 "A
/// merge is final"); before the second file went, its person went on with them.
struct MergedFilesTests {
    @Test func anEditOfOneLeavesAnEqualOtherAsAVersion() async throws {
        let test = try await MergedPair(other: "1")
        test.second.disk.save("2", to: "a")
        #expect(try await test.converged() == ["1", "2"])
    }

    @Test func anEditOfOneThatWasPlannedBeforeTheOtherWentLeavesIt() async throws {
        let test = try await MergedPair(other: "1")
        test.second.disk.save("2", to: "a")
        try test.second.pull()
        try test.second.up()
        #expect(try await test.converged() == ["1", "2"])
    }

    @Test func twoThatChangedPlacesAreBothKept() async throws {
        let test = try await MergedPair(other: "2")
        test.second.disk.exchange("a", "b")
        #expect(try await test.converged() == ["1", "2"])
    }

    @Test func oneThatTookTheOthersContentsIsKeptBesideWhatCameThere() async throws {
        let test = try await MergedPair(other: "2")
        test.second.disk.exchange("a", "b")
        test.second.disk.save("3", to: "b")
        #expect(try await test.converged() == ["2", "3"])
    }

    /// The one that has the item's own place is deleted while the other waits to be looked at.
    @Test(arguments: ["1", "2"])
    func theOtherStaysWhenOneIsDeleted(_ content: String) async throws {
        let first = try TestDevice.synced(["c": content])
        let second = TestDevice(2, first.cloud)
        _ = try await convergeAll([first, second])
        second.disk.write("1", to: "a")
        try second.up()
        first.disk.rename("c", to: "a")
        try first.up()
        second.disk.hardLink("c", to: "z")
        second.disk.delete("z")
        try second.pull()
        try await second.down()
        #expect(second.disk.contents == ["a": "1", "c": content])
        second.disk.delete("a")
        #expect(try await MergedPair(first: first, second: second).converged() == [content])
        #expect(first.disk.contents == ["a": content])
    }

    @Test(arguments: [true, false])
    func oneThatTheOthersEditReplacedBeforeTheyWereKnownToBeOneIsToldAgain(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.mergedFilesAreToldAgain])
        let test = try await MergedPair(other: "1", rules: rules)
        // The log has that they are one, and this device has not read it.
        test.second.disk.save("2", to: "a")
        try test.second.up()
        #expect(try await test.converged() == (holds ? ["1", "2"] : ["2"]))
    }

    /// It is renamed meanwhile: what is told is still the same item.
    @Test func oneThatWasReplacedAndIsRenamedIsToldAgain() async throws {
        let test = try await MergedPair(other: "1")
        test.second.disk.save("2", to: "a")
        try test.second.up()
        try test.second.pull()
        test.second.disk.rename("b", to: "c")
        #expect(try await test.converged() == ["1", "2"])
    }

    /// All three are one item: the third has what the second had, whose edit is not told while that goes.
    @Test(arguments: [true, false])
    func oneGoesOnlyWhenTheEditsOfAllOthersAreTold(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.mergedFilesAreToldAgain])
        let test = try await MergedPair(other: "2", rules: rules)
        let (first, second) = (test.first, test.second)
        try first.pull()
        try await first.down()
        first.disk.rename("b", to: "c")
        try first.up()
        second.disk.rename("b", to: "c")
        second.disk.write("3", to: "b")
        let edited = second.disk.find("b")
        edited?.isBeingWritten = true
        try second.up()
        try second.pull()
        try await second.down()
        edited?.isBeingWritten = false
        #expect(try await test.converged() == (holds ? ["1", "2", "3"] : ["1", "3"]))
    }

    @Test func withoutBeingToldAgainWhatIsOnlyInOneOfThemIsLost() async throws {
        let test = try await MergedPair(other: "1", rules: SafetyRules(removed: [.mergedFilesAreToldAgain]))
        test.second.disk.save("2", to: "a")
        try test.second.pull()
        try test.second.up()
        #expect(try await test.converged() == ["2"])
    }
}

private struct MergedPair {
    let first: TestDevice
    let second: TestDevice

    /// - Returns: all contents that the tree has when both are at rest, versions too.
    func converged() async throws -> [String] {
        #expect(try await convergeAll([first, second]) < 100)
        #expect(first.disk.contents == second.disk.contents)
        let nodes = try first.storage.read { try $0.nodes(after: nil, limit: 10) }
        return nodes.filter(\.isLive).flatMap(\.contents).compactMap { version in
            guard case .file(let file) = version.content else { return nil }
            return first.cloud.contents[file.hash].map { String(decoding: $0, as: UTF8.self) }
        }.sorted()
    }
}

extension MergedPair {
    /// - Parameter other: what lies in `b`, made here while the first device gave `a` that name.
    init(other: String, rules: SafetyRules = .all) async throws {
        let first = try TestDevice.synced(["a": "1"], rules: rules)
        let second = TestDevice(2, first.cloud, rules: rules)
        self.init(first: first, second: second)
        _ = try await convergeAll([first, second])
        second.disk.write(other, to: "b")
        first.disk.rename("a", to: "b")
        try first.up()
        try second.up()
    }
}
