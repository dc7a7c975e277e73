import CLinux
import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

@testable import CloudStore

/// The room that a folder keeps for records, on a disk that is full.
@Suite(.serialized, .enabled(if: Process.effectiveUserID == 0, "mounting needs root"))
struct StoreReserveTests {
    private func withFullStore(_ body: (DirectoryStore, String) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        let path = folder.path
        try valueOrErrno(lx_mount("none", path, "tmpfs", 0, "size=4m"))
        defer { _ = lx_umount(path, lx_mnt_detach) }
        try DirectoryStore.create(at: path)
        let store = DirectoryStore(path: path)
        var count = 0
        for size in [256 << 10, 4096] {
            let bytes = [UInt8](repeating: 1, count: size)
            while await storeError({ try await store.put(bytes, at: try key("c/\(count)")) }) == nil {
                count += 1
            }
        }
        try await body(store, path)
    }

    @Test func recordsAreWrittenWhereContentsAreNot() async throws {
        try await withFullStore { store, path in
            #expect(await store.freeBytes() == 0)
            for count in 0..<8 {
                let record = try await store.forRecords.putIfAbsent([1], at: try key("log/\(count)")).value
                #expect(record == .written)
            }
            #expect(await storeError { try await store.put([1], at: try key("c/more")) }?.kind == "full")
            #expect(try await store.get(try key("log/7")).value?.bytes == [1])
        }
    }

    /// A device that joins tries the store first, with many writers at once.
    @Test func aFullStoreIsTried() async throws {
        try await withFullStore { store, _ in try await StoreProbe(store.forRecords).run() }
    }

    @Test func whatComesFreeIsTheReservesFirst() async throws {
        try await withFullStore { store, path in
            let whole = try status(path + "/tmp/reserve").st_size
            for count in 0..<8 {
                _ = try await store.forRecords.putIfAbsent([1], at: try key("log/\(count)"))
            }
            #expect(try status(path + "/tmp/reserve").st_size < whole)
            // Another device, or this one after a restart.
            let other = DirectoryStore(path: path)
            #expect(await storeError { try await other.put([1], at: try key("c/more")) }?.kind == "full")
            _ = try await other.delete(try key("c/0"))
            #expect(try status(path + "/tmp/reserve").st_size == whole)
            _ = try await other.put([1], at: try key("c/more"))
        }
    }
}
