import CLinux
import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

/// What programs may do in a home on a full disk while its last room is lent to what makes room.
@Suite(.serialized, .enabled(if: geteuid() == 0, "mounting needs root")) struct KeptRoomTests {
    @Test func whatTakesRoomIsRefusedWhileTheReserveIsLent() throws {
        let disk = try SmallDisk("4m")
        let folder = try Descriptor(disk.path, flags: O_RDONLY)
        let reserve = try SpaceReserve(in: folder, owner: .current)
        reserve.whileLent {}
        let mounted = try MountedHome(data: .splice, in: disk.path, reserve: reserve)
        let documents = mounted.documents
        try write(String(repeating: "x", count: 500_000), to: documents + "/large")
        try write("old", to: documents + "/small")
        disk.fill()
        let growing = open(documents + "/small", O_WRONLY | O_APPEND)
        let inPlace = open(documents + "/small", O_RDWR)
        reserve.whileLent {
            #expect(((try? freeBytes(on: folder.raw)) ?? 0) > 0)
            #expect(failure { open(documents + "/new", O_WRONLY | O_CREAT, 0o644) } == .noSpace)
            #expect(failure { mkdir(documents + "/folder", 0o755) } == .noSpace)
            #expect(failure { symlink("small", documents + "/link") } == .noSpace)
            #expect(failure { link(documents + "/small", documents + "/other") } == .noSpace)
            #expect(setAttribute("user.a", [1], of: documents + "/small") == .noSpace)
            #expect(failure { Int32(Glibc.write(growing, "x", 1)) } == .noSpace)
            // What has its room keeps it, and what gives room back is not hindered.
            #expect(pwrite(inPlace, "new", 3, 0) == 3)
            #expect(rename(documents + "/small", documents + "/renamed") == 0)
            #expect(unlink(documents + "/large") == 0)
        }
        for file in [growing, inPlace] { close(file) }
        // A removed file's room comes back once the kernel has forgotten it.
        #expect(eventually { (try? write("new", to: documents + "/new")) != nil })
        #expect(try contents(of: documents + "/renamed") == "new")
    }

    @Test func theRoomIsTakenAgainBeforeAnAppHasIt() throws {
        let disk = try SmallDisk("4m")
        let folder = try Descriptor(disk.path, flags: O_RDONLY)
        let reserve = try SpaceReserve(in: folder, owner: .current)
        reserve.whileLent {}
        let whole = try status(disk.path + "/reserve").st_size
        #expect(whole == 65_536)
        disk.fill()
        try reserve.whileLent { () throws in
            #expect((try? status(disk.path + "/reserve")) == nil)
            try write(String(repeating: "x", count: 8192), to: disk.path + "/record")
        }
        // What was used is missing; who would grow waits until it is there again.
        #expect(!reserve.admitsGrowth())
        #expect(try freeBytes(on: folder.raw) < 16_384)
        unlink(disk.path + "/record")
        #expect(reserve.admitsGrowth())
        #expect(try status(disk.path + "/reserve").st_size == whole)
    }

    /// Whether contents may pass through is tried with a mapped page, for which there is no room.
    @Test func leasesAreTriedOnAFullDisk() throws {
        let disk = try SmallDisk("1m")
        disk.fill()
        let file = try valueOrErrno(lx_openat(lx_at_fdcwd, disk.path, lx_o_tmpfile | lx_o_rdwr, 0o600))
        #expect(lx_leases_tell(file) == 1)
    }
}

/// A file system in memory that can be filled.
private struct SmallDisk: ~Copyable {
    private let folder: TemporaryFolder
    let path: String

    init(_ size: String) throws {
        let folder = try TemporaryFolder()
        try valueOrErrno(lx_mount("none", folder.path, "tmpfs", 0, "size=" + size))
        path = folder.path
        self.folder = folder
    }

    /// Until not one byte more can be written.
    func fill() {
        let file = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        for count in [65_536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: count)
            while write(file, bytes, count) > 0 {}
        }
    }

    deinit { _ = lx_umount(path, lx_mnt_detach) }
}
