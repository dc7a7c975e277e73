import CLinux
import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

/// FUSE over io_uring; mount-scripts/test says where the kernel offers none.
@Suite(.enabled(if: RingSupport.current == .offered)) struct RingTests {
    @Test func theRingIsTakenWhereItIsOffered() throws {
        try mounted(OneFile()) { path, session in
            #expect(session.transport == TransportReport(kind: .ring))
            #expect(size(of: path + "/file") == 10)
        }
    }

    @Test func classicIsServedWhereItIsAskedFor() throws {
        try mounted(OneFile(), transport: .classic) { path, session in
            #expect(session.transport == TransportReport(kind: .classic))
            #expect(size(of: path + "/file") == 10)
        }
    }

    @Test func aSlowSyncHoldsNobodyUp() throws {
        try expectNobodyHeldUp(OneFile(), at: "/file", sizeBytes: 10) { path in
            try syncOnFirstCPU(path + "/file")
        }
    }

    /// At the directory itself: of two look-ups in it the kernel has one wait for the other.
    @Test func aSlowLookHoldsNobodyUp() throws {
        try expectNobodyHeldUp(OneFile(isSlow: true), at: "", sizeBytes: 0) { path in
            try onFirstCPU { #expect(access(path + "/slow", F_OK) == -1) }
        }
    }

    /// The callers and the held request share a CPU, so they share a queue.
    private func expectNobodyHeldUp(
        _ fileSystem: OneFile, at name: String, sizeBytes: Int, by begin: (String) throws -> Joined
    ) throws {
        let looked = Gate(false)
        try mounted(fileSystem) { path, _ in
            let held = try begin(path)
            #expect(fileSystem.heldCount.wait(timeoutSeconds: 10) { $0 == 1 ? true : nil } == true)
            let looker = try onFirstCPU {
                for _ in 0..<1000 { #expect(size(of: path + name) == sizeBytes) }
                looked.update { $0 = true }
            }
            // Seen before the held one is let go, or the test would hang with it.
            let isSeen = looked.wait(timeoutSeconds: 10) { $0 ? true : nil }
            #expect(isSeen == true)
            fileSystem.maySync.update { $0 = true }
            looker.join()
            held.join()
        }
    }

    /// More callers than a queue has entries: the kernel lets the rest wait.
    @Test func moreCallersThanEntriesAreAllAnswered() throws {
        let answered = Gate(0)
        try mounted(OneFile()) { path, _ in
            let callers = try (0..<400).map { _ in
                try onFirstCPU {
                    for _ in 0..<20 where size(of: path + "/file") == 10 {
                        answered.update { $0 += 1 }
                    }
                }
            }
            for caller in callers { caller.join() }
        }
        #expect(answered.update { $0 } == 8000)
    }

    /// A request whose mount goes: its caller hears of it, and the session ends once it was answered.
    @Test func anAbortEndsAHeldRequest() throws {
        let fileSystem = OneFile()
        try mounted(fileSystem) { path, _ in
            let sync = try syncOnFirstCPU(path + "/file", expecting: .connectionAbort)
            #expect(fileSystem.heldCount.wait(timeoutSeconds: 10) { $0 == 1 ? true : nil } == true)
            umount2(path, Int32(MNT_FORCE))
            sync.join()
            fileSystem.maySync.update { $0 = true }
        }
    }

    private func syncOnFirstCPU(_ path: String, expecting expected: Errno? = nil) throws -> Joined {
        try onFirstCPU {
            let file = open(path, O_RDWR)
            #expect(lx_fsync(file, 0) == -(expected?.rawValue ?? 0))
            close(file)
        }
    }

    private func size(of path: String) -> Int? { (try? status(path))?.st_size }

    private func onFirstCPU(_ body: @escaping @Sendable () -> Void) throws -> Joined {
        Joined(
            try NativeThread(name: "caller") {
                #expect(lx_pin_to_cpu(0) == 0)
                body()
            })
    }
}
