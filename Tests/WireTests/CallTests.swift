import Posix
import PropertyLists
import Testing
import Wire

@Suite struct CallTests {
    private let file: SharedDescriptor

    init() throws { file = SharedDescriptor(try Descriptor("/dev/null", flags: 0)) }

    private func brings<Reply>(_ call: Call<Reply>, _ count: Int) -> Bool {
        call.descriptors.count == count && call.request.descriptorCount == count
    }

    @Test func noTimeIsToldOfADirectoryThatTheLogHasNoneOf() {
        let time = Timestamp(seconds: 0)
        let documents = ["file", "directory"].map {
            CloudItem(path: "a", kind: $0, size: 1, modified: time, status: "current")
        }
        let told = Call.documents(of: "a.b", below: "").reply(.cloud(.items(documents)))
        #expect(told?.map(\.modified) == [time, nil])
        let items = ["file", "directory"].map { SharedItem(name: "a", kind: $0, size: 1, modified: time) }
        let store = CloudAccountArguments(url: "file:///store")
        #expect(
            Call.sharedItems(of: "a.b", from: store).reply(.items(items))?.map(\.modified) == [time, nil])
        #expect(Call.sharedItems(of: "a.b", from: nil).reply(.items(items))?.map(\.modified) == [time, time])
    }

    @Test func eachCallBringsAsManyDescriptorsAsItsRequestSpeaksOf() {
        #expect(brings(.install(file, entitlements: nil, InstallArguments()), 1))
        #expect(brings(.install(file, entitlements: file, InstallArguments()), 2))
        #expect(brings(.new(NewArguments(name: "N"), propertyList: nil, content: nil), 0))
        #expect(brings(.new(NewArguments(name: "N"), propertyList: nil, content: file), 1))
        #expect(brings(.new(NewArguments(name: "N"), propertyList: file, content: file), 2))
        let mount = MountArguments(app: "a.b", kind: .home, directory: "/d")
        #expect(brings(.prepareMount(mount, in: file), 1))
        #expect(brings(.attachMount(file), 1))
        #expect(brings(.shareGet("n", of: "a.b", to: file, as: "m", replaces: true, from: nil), 1))
        #expect(brings(.shareRead("n", of: "a.b", to: file, from: nil), 1))
        #expect(brings(.sharePut(file, as: "n", of: "a.b", toInbox: false, replaces: false), 1))
        #expect(brings(.writeDocument(at: "n", of: "a.b", version: nil, to: file), 1))
        #expect(brings(.createBackup(BackupArguments(), in: file), 1))
        #expect(brings(.createPackage("n", of: "a.b", in: file), 1))
        #expect(brings(.restore(RestoreArguments(), from: file), 1))
        #expect(brings(.restorePackage(file, to: nil, remounts: false), 1))
        #expect(brings(.list, 0) && brings(.account, 0) && brings(.snapshots, 0))
    }

    @Test func theAnswerToAnotherQuestionIsNoReply() {
        #expect(Call.list.reply(.apps([])) == [])
        #expect(Call.list.reply(.done) == nil)
        #expect(Call.set("k", to: "v").reply(.done) != nil)
        #expect(Call.set("k", to: "v").reply(.note(lines: [])) == nil)
        #expect(Call.quota.reply(.cloud(.devices([]))) == nil)
        #expect(Call.snapshots.reply(.backup(.restored(RestoreOutcome()))) == nil)
        #expect(Call.endUnmount(of: "s", at: "/d").reply(.done) == [])
        #expect(Call.endUnmount(of: "s", at: "/d").reply(.note(lines: ["l"])) == ["l"])
    }

    @Test func whatLooksIntoMemoryHasADeadlineAndWhatMayTakeLongHasNone() {
        #expect(Call.settings.deadlineSeconds == 60)
        #expect(Call.attachMount(file).deadlineSeconds == 60)
        #expect(Call.install(file, entitlements: nil, InstallArguments()).deadlineSeconds == nil)
        #expect(Call.awaitEnd(ofMountAt: "/d").deadlineSeconds == nil)
        #expect(Call.sync(CloudSyncArguments()).deadlineSeconds == nil)
    }

    @Test func callsSayWhatComesBeforeTheirAnswer() {
        #expect(Call.install(file, entitlements: nil, InstallArguments()).stream == .progress)
        #expect(Call.watch(nil, sinceSeconds: nil).stream == .events)
        #expect(Call.list.stream == .none)
    }
}
