import Foundation
import Posix
import TestKit
import Testing
import Wire

/// Long work of the daemon, whose client does not wait for it.
@Suite(.serialized) struct GoneClientTests {
    private static let sizeBytes: Int64 = 4 << 30

    @Test func aCopyIntoTheHomeEnds() throws {
        let place = try Workplace()
        try Self.serve(place)
        let source = try Self.file(place.path + "/big")
        let client = try RawClient(device: place.device)
        try client.tell(.sharePut(app: "Notes", name: "big", toInbox: false, replaces: false), [source])
        try Self.leave(client, place)
        #expect(try names(Self.documents(place)) == [])
    }

    @Test func aCopyOutOfTheHomeEndsAndLeavesNothing() throws {
        let place = try Workplace()
        try Self.serve(place)
        _ = try Self.file(Self.documents(place) + "/big")
        let (target, folder) = try Self.target(place)
        let client = try RawClient(device: place.device)
        try client.tell(
            .shareGet(app: "Notes", name: "big", newName: "copy", replaces: false, from: nil), [folder])
        #expect(try eventually { try !names(target).isEmpty })
        #expect(try names(target).allSatisfy { $0.hasPrefix(".apphome-copy-") })
        try Self.leave(client, place)
        #expect(try names(target) == [])
    }

    @Test(arguments: [false, true]) func aBackupEndsInTheMiddleOfAFile(_ isPackage: Bool) throws {
        let place = try Workplace()
        try Self.serve(place)
        _ = try Self.file(Self.documents(place) + "/big")
        let (target, folder) = try Self.target(place)
        let client = try RawClient(device: place.device)
        let request: BackupRequest =
            isPackage ? .createPackage(app: "Notes", name: "n.xcappdata") : .create(BackupArguments())
        try client.tell(.backup(request), [folder])
        try Self.leave(client, place)
        #expect(try names(target).filter { !$0.hasPrefix(".") } == [])
    }

    @Test(arguments: ["/dev/zero", "fifo"]) func onlyAFileIsPut(_ name: String) throws {
        let place = try Workplace()
        try Self.serve(place)
        let path = name == "fifo" ? place.path + "/fifo" : name
        if name == "fifo" { #expect(mkfifo(path, 0o600) == 0) }
        let put = try place.run("share", "put", "Notes", path)
        #expect(put.status == 1 && put.errors.contains("neither a file nor a directory"), "\(put)")
        let source = SharedDescriptor(try Descriptor(path, flags: O_RDONLY | O_NONBLOCK))
        let client = try RawClient(device: place.device)
        let answer = try client.ask(
            .sharePut(app: "Notes", name: "a", toInbox: false, replaces: false), [source])
        #expect(
            answer == .failure(CommandFailure("cannot share a: it is no file; name the files")),
            "\(answer)")
    }

    /// An empty folder that something is copied into.
    private static func target(
        _ place: borrowing Workplace
    ) throws -> (path: String, folder: SharedDescriptor) {
        let path = place.path + "/target"
        #expect(mkdir(path, 0o755) == 0)
        return (path, SharedDescriptor(try Descriptor(path, flags: O_DIRECTORY)))
    }

    /// Nobody is there any more for whom the daemon would stay.
    private static func leave(_ client: RawClient, _ place: borrowing Workplace) throws {
        client.hangUp()
        #expect(try place.run("unmount", place.path + "/n").status == 0)
        let hasEnded = place.waitForDaemonsEnd()
        #expect(hasEnded)
    }

    /// A device whose daemon stays.
    private static func serve(_ place: borrowing Workplace) throws {
        #expect(try place.run("new", "Notes", "--share").status == 0)
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
    }

    /// A file that takes no room, and long to be read.
    private static func file(_ path: String) throws -> SharedDescriptor {
        let file = try Descriptor(path, flags: O_RDWR | O_CREAT, mode: 0o644)
        #expect(ftruncate(file.raw, Int(sizeBytes)) == 0)
        return SharedDescriptor(file)
    }

    private static func documents(_ place: borrowing Workplace) throws -> String {
        let homes = place.device + "/Containers/Data/Application"
        return "\(homes)/\(try #require(try names(homes).first))/Documents"
    }
}
