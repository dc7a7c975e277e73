import Foundation
import Posix
import SystemPackage
import Testing

@testable import Device

/// The catalogue's log, which has its room before the disk is full.
@Suite struct CatalogueLogTests {
    /// What 64 pages take.
    private let leastBytes: UInt64 = 64 * 4096

    @Test func theLogStaysWithItsRoomWhenTheCatalogueIsClosed() throws {
        let scratch = try Scratch()
        try scratch.device().set("names", "simulator")
        let closed = try log(scratch)
        #expect(closed.sizeBytes >= leastBytes)
        try scratch.device().set("names", "legacy")
        let again = try log(scratch)
        #expect(again.identity == closed.identity && again.sizeBytes == closed.sizeBytes)
        #expect(try scratch.device().settings().names == .legacy)
    }

    @Test func manyChangesTakeNoMoreRoom() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let before = try log(scratch).sizeBytes
        for count in 0..<300 { try device.set("quota", "\(count + 1)") }
        #expect(try log(scratch).sizeBytes == before)
    }

    @Test func nothingElseLiesBesideAnOpenCatalogue() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        try device.set("names", "simulator")
        let beside = scratch.names("device").filter { $0.hasPrefix(Layout.catalogue) }
        #expect(beside == [Layout.catalogue, Layout.catalogue + "-wal"])
    }

    @Test func aLogThatAnEarlierVersionRemovedIsMadeAgain() throws {
        let scratch = try Scratch()
        _ = try scratch.device()
        try FileManager.default.removeItem(atPath: scratch.file("device/" + Layout.catalogue + "-wal"))
        _ = try scratch.device()
        #expect(try log(scratch).sizeBytes >= leastBytes)
    }

    private func log(_ scratch: borrowing Scratch) throws -> ItemStamp {
        let folder = try scratch.open("device")
        return try ItemStamp(folder.raw, Layout.catalogue + "-wal")
    }
}
