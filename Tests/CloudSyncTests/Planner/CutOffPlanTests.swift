import CloudSync
import Testing

@testable import SyncLog

/// Plans that are cut off because there is more than one of them takes up.
struct CutOffPlanTests {
    /// Everything that a rescan in parts tells, and how many parts it took.
    private func rescan(_ device: TestDevice, limit: Int) throws -> (operations: [Operation], plans: [UpPlan])
    {
        device.touched = Touched(whole: [LocalPath()])
        device.disk.changes = LocalChanges()
        device.planLimit = limit
        let before = device.cloud.log.count
        var plans: [UpPlan] = []
        repeat { plans.append(try device.up()) } while !device.touched.isEmpty && plans.count < 100
        return (device.cloud.log[before...].flatMap(\.batch.operations), plans)
    }

    private func addFolders(_ names: some Sequence<String>, of count: Int, to disk: TestDisk) {
        for name in names {
            disk.makeDirectory(LocalPath([name]))
            for file in 0..<count { disk.write("\(name) \(file)", to: LocalPath([name, "\(file)"])) }
        }
    }

    @Test func thePlanAfterOneThatWasCutOffGoesOnWhereThatStopped() throws {
        let device = TestDevice(1, TestCloud())
        addFolders((0..<20).map { "d\($0)" }, of: 7, to: device.disk)
        let (operations, plans) = try rescan(device, limit: 30)
        #expect(operations.count == 20 * 8)
        #expect(plans.count > 5 && plans.count < 10)
        for plan in plans.dropLast() {
            #expect(plan.isCutOff && plan.drafts.count <= 30)
            #expect(!plan.rest.whole.union(plan.rest.untold).isEmpty)
        }
        #expect(!plans.dropFirst().contains { $0.rest.whole.contains(LocalPath()) })
        #expect(try device.planUp().drafts.isEmpty)
    }

    @Test func aDirectoryThatIsLargerThanAPlanIsToldInParts() throws {
        let device = TestDevice(1, TestCloud())
        addFolders(["d"], of: 100, to: device.disk)
        let (operations, plans) = try rescan(device, limit: 30)
        #expect(operations.count == 101)
        #expect(plans.allSatisfy { $0.drafts.count <= 31 })
    }

    /// What was told already takes no place in the next part, whatever else it is called.
    @Test func ofOneFileWithManyNamesEachIsToldOnce() throws {
        let device = TestDevice(1, TestCloud())
        device.disk.makeDirectory("d")
        device.disk.write("1", to: "d/e\u{301}0")
        for link in 1..<20 {
            let name = "\(link)" + (link.isMultiple(of: 2) ? "\u{e9}" : "x")
            device.disk.hardLink("d/e\u{301}0", to: LocalPath(["d", name]))
        }
        let (operations, plans) = try rescan(device, limit: 3)
        #expect(operations.count == 21)
        #expect(plans.count < 12)
        #expect(try device.planUp().drafts.isEmpty)
    }

    @Test func whatLiesAmongFewComesBeforeWhatLiesAmongMany() throws {
        let device = TestDevice(1, TestCloud())
        addFolders(["a"], of: 100, to: device.disk)
        device.disk.makeDirectory("z")
        device.disk.makeDirectory(LocalPath(["z", "y"]))
        device.disk.write("few", to: LocalPath(["z", "y", "x"]))
        let paths = try device.planUp().drafts.map(\.path.names)
        #expect(paths.prefix(4) == [["a"], ["z"], ["z", "y"], ["z", "y", "x"]])
        #expect(paths.count == 104)
    }

    @Test(arguments: [5, 12, 40])
    func whatMovedFromOnePartToAnotherIsAMoveAndWhatIsGoneIsDeletedOnce(limit: Int) throws {
        let device = try TestDevice.synced(["x": "x", "y": "y"])
        addFolders(["a", "z"], of: 3, to: device.disk)
        try device.up()
        for folder in ["a", "z"] {
            device.disk.rename(
                LocalPath([folder, "1"]), to: LocalPath([folder == "a" ? "z" : "a", "moved"]))
        }
        device.disk.rename("a", to: "n")
        device.disk.delete("x")
        device.disk.delete("z/2")
        addFolders((0..<9).map { "m\($0)" }, of: 3, to: device.disk)
        let (operations, plans) = try rescan(device, limit: limit)
        #expect(plans.count < 30)
        #expect(operations.count { if case .create = $0 { true } else { false } } == 9 * 4)
        #expect(operations.count { if case .move = $0 { true } else { false } } == 3)
        #expect(operations.count { if case .delete = $0 { true } else { false } } == 2)
        #expect(try device.planUp().drafts.isEmpty)
    }

    /// Everything that notices tell, in parts.
    private func tell(_ device: TestDevice, limit: Int) throws -> [Operation] {
        device.planLimit = limit
        let before = device.cloud.log.count
        var plans = 0
        repeat {
            try device.up()
            plans += 1
        } while !device.touched.isEmpty && plans < 100
        #expect(plans > 1 && plans < 100)
        return device.cloud.log[before...].flatMap(\.batch.operations)
    }

    private func file(_ path: LocalPath, _ device: TestDevice) throws -> FileID {
        try #require(try device.row(path)).file
    }

    @Test func whatThePathDecidedInOnePartIsDecidedInTheNextOnes() throws {
        let device = try TestDevice.synced(["a": "a", "c": "c"])
        let (a, c) = (try file("a", device), try file("c", device))
        device.disk.namedOut = ["x"]
        device.disk.rename("c", to: "x")
        device.disk.rename("a", to: "c")
        addFolders(["d"], of: 3, to: device.disk)
        _ = try tell(device, limit: 1)
        #expect(try device.row("c")?.file == c && device.storage.read { try $0.synced(a) } == nil)
        #expect(try device.storage.read { try $0.item(a)?.isLive ?? false } == false)
        #expect(try device.planUp().drafts.isEmpty)
    }

    @Test func aNameIsTakenWhenWhatHadItIsToldToBeGone() throws {
        let device = try TestDevice.synced(["b": "b", "e": "e"], directories: ["d"])
        let (b, d, e) = (try file("b", device), try file("d", device), try file("e", device))
        device.disk.delete("b")
        device.disk.rename("d", to: "b")
        device.disk.rename("e", to: "d")
        addFolders(["n"], of: 3, to: device.disk)
        let operations = try tell(device, limit: 1)
        #expect(try device.row("b")?.file == d && device.row("d")?.file == e)
        #expect(try device.storage.read { try $0.synced(b) } == nil)
        #expect(operations.count { if case .move = $0 { true } else { false } } == 2)
        #expect(operations.count { if case .delete = $0 { true } else { false } } == 1)
    }

    @Test func whatIsGoneInAllPartsLeavesRoomForTheDirectories() throws {
        let device = TestDevice(1, TestCloud())
        addFolders(["z"], of: 1, to: device.disk)
        for file in 0..<9 { device.disk.write("old", to: LocalPath(["\(file)"])) }
        try device.up()
        for file in 0..<9 { device.disk.delete(LocalPath(["\(file)"])) }
        for file in 0..<9 { device.disk.write("new", to: LocalPath(["z", "n\(file)"])) }
        device.isConfirmed = true
        let (operations, plans) = try rescan(device, limit: 4)
        #expect(operations.count == 18 && plans.count < 12)
    }

    @Test func deletesOfAllPartsTogetherAreHeldWhereTheyAreMany() throws {
        let device = TestDevice(1, TestCloud())
        addFolders((0..<10).map { "d\($0)" }, of: 4, to: device.disk)
        try device.up()
        for folder in 0..<10 {
            for file in 0..<4 { device.disk.delete(LocalPath(["d\(folder)", "\(file)"])) }
        }
        addFolders((0..<3).map { "e\($0)" }, of: 4, to: device.disk)
        let (operations, plans) = try rescan(device, limit: 10)
        #expect(plans.last?.heldDeletes == 40)
        #expect(!operations.contains { if case .delete = $0 { true } else { false } })
    }

    @Test func whatIsExcludedTakesNoPlaceInAPlan() throws {
        let device = TestDevice(1, TestCloud())
        for index in 0..<50 { device.disk.write("", to: LocalPath(["\(index).tmp"])) }
        device.disk.write("1", to: "z")
        let (operations, plans) = try rescan(device, limit: 10)
        #expect(operations.count == 1 && plans.count == 1)
    }

    /// Of what leaves with a large directory each plan takes up a part, and each item after what is in it.
    @Test(arguments: ["flag", "move out", "delete"]) func aDirectoryThatLeavesIsToldInParts(
        how: String
    ) throws {
        let device = TestDevice(1, TestCloud())
        addFolders(["d"], of: 12, to: device.disk)
        device.disk.makeDirectory("d/e")
        for file in 0..<12 { device.disk.write("e \(file)", to: LocalPath(["d", "e", "\(file)"])) }
        _ = try rescan(device, limit: 100)
        device.planLimit = 5
        switch how {
        case "flag": device.disk.setFlag(true, "d")
        case "move out": device.disk.moveOut("d", as: "d")
        default: device.disk.delete("d")
        }
        var plans: [UpPlan] = []
        repeat { plans.append(try device.up()) } while !device.touched.isEmpty && plans.count < 100
        #expect(plans.allSatisfy { $0.drafts.count <= 6 } && (5...7).contains(plans.count))
        let told = plans.flatMap(\.drafts).map(\.file)
        #expect(told.count == 26 && Set(told).count == 26)
        // The inner directory after its files, the outer one last.
        let names = plans.flatMap(\.drafts).map(\.name)
        #expect(names.last == "d" && (names.firstIndex(of: "e") ?? 0) >= 12)
        #expect(try device.planUp().drafts.isEmpty)
    }

    /// What was seen to go while more was found than a plan takes up.
    private func planCutOff(_ device: TestDevice, _ change: (TestDisk) -> Void) throws -> UpPlan {
        device.planLimit = 3
        change(device.disk)
        addFolders(["n"], of: 12, to: device.disk)
        let plan = try device.planUp()
        #expect(plan.isCutOff && plan.rest.paths.contains("f"))
        return plan
    }

    /// Told by the next plan, which does not see it move.
    @Test func whatMovedOutOfDocumentsDuringAPlanThatWasCutOffLeavesTheCloudAndIsNotDeleted() throws {
        let device = try TestDevice.synced(["f": "f", "g": "g"])
        let first = try planCutOff(device) { $0.moveOut("f", as: "f") }
        #expect(first.rest.hasDepartures)
        var plans = [UpPlan]()
        repeat { plans.append(try device.up()) } while !device.touched.isEmpty && plans.count < 20
        let told = plans.flatMap(\.drafts).filter { $0.path == "f" }.map(\.kind)
        #expect(told.count == 1)
        guard case .withdraw = told.first else {
            Issue.record("\(told)")
            return
        }
    }

    /// A delete names the versions that were shown beside a file only where that very file was seen to go.
    @Test func whatWasSeenToBeRemovedDuringAPlanThatWasCutOffIsRemembered() throws {
        let device = try TestDevice.synced(["f": "f", "g": "g"])
        let inode = try #require(device.disk.find("f")).number
        let plan = try planCutOff(device) { $0.delete("f") }
        #expect(plan.rest.removed.contains(inode))
    }
}
