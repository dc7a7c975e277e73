import Testing

@testable import Wire

@Suite struct HelloTests {
    @Test func theProtocolsNumberAloneDecidesWhoMaySayEverything() {
        let hello = Hello()
        #expect(hello.isSame(as: Hello(build: "another", version: "9.9")))
        #expect(!hello.isSame(as: Hello(protocolNumber: Hello.currentProtocol + 1)))
    }

    @Test func anotherProtocolIsRefusedWithTheLineThatSaysWhatToDo() {
        var daemon = Hello(protocolNumber: 1, build: "aaaaaaaabbbb", version: "1.0")
        let client = Hello(protocolNumber: 2, build: "ccccccccdddd", version: "1.1")
        daemon.mounts = ["/a", "/b"]
        #expect(
            daemon.refusal(of: client, device: "/dev/x").message
                == "a daemon of version 1.0 (aaaaaaaa) serves /dev/x,"
                + " this is 1.1 (cccccccc): apphome unmount /a /b first"
        )
        #expect(!daemon.isSame(as: client))
    }

    @Test func onlyListInfoAndUnmountAreAnsweredToEveryProtocol() {
        #expect(Request.list.neverChanges)
        #expect(Request.info(app: "x").neverChanges)
        #expect(Request.unmount(source: "s", directory: "d", isDone: true).neverChanges)
        #expect(!Request.settings.neverChanges)
        #expect(!Request.watch(app: nil, sinceSeconds: nil).neverChanges)
    }

    /// The literal bytes: a daemon of any other version reads and writes these.
    @Test func theFormsThatNeverChangeStandAsTheyAre() throws {
        let forms: [(String, Request)] = [
            (#"{"list":{}}"#, .list),
            (#"{"info":{"app":"x"}}"#, .info(app: "x")),
            (
                #"{"unmount":{"source":"s","directory":"d","isDone":false}}"#,
                .unmount(source: "s", directory: "d", isDone: false)
            ),
        ]
        for (text, request) in forms {
            #expect(try Frame(body: Array(text.utf8)).decode(Request.self) == request)
        }
    }

    @Test func thisBuildHasAnIdentity() {
        #expect(BuildIdentity.current.count > 8)
    }
}
