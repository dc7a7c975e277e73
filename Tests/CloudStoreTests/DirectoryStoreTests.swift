import CLinux
import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

@testable import CloudStore

/// What a folder can hold that no bucket can, and what can become of a folder.
@Suite struct DirectoryStoreTests {
    private func withStore(_ body: (DirectoryStore, String) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try DirectoryStore.create(at: path)
        try await body(DirectoryStore(path: path), path)
    }

    /// What each kind of call throws.
    private func kinds(_ store: DirectoryStore, _ name: String = "a/b") async throws -> [String] {
        let name = try key(name)
        return [
            await storeError { try await store.putIfAbsent([1], at: name) }?.kind,
            await storeError { try await store.put([1], at: name) }?.kind,
            await storeError { try await store.get(name) }?.kind,
            await storeError { try await store.head(name) }?.kind,
            await storeError { try await store.list("", after: nil, limit: 9) }?.kind,
            await storeError { try await store.delete(name) }?.kind,
        ].map { $0 ?? "success" }
    }

    @Test func `A folder that is not there, or is no store, is missing and not empty`() async throws {
        let folder = try ScratchFolder()
        let missing = [String](repeating: "missing", count: 6)
        #expect(try await kinds(DirectoryStore(path: folder.path + "/none")) == missing)
        // As the mount point of a disk that is not there.
        #expect(try await kinds(DirectoryStore(path: folder.path)) == missing)
        try Data().write(to: URL(filePath: folder.path + "/file"))
        #expect(try await kinds(DirectoryStore(path: folder.path + "/file")) == missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func `No link of proc leads to a store by what this process has open`() async throws {
        let folder = try ScratchFolder()
        let open = try Descriptor(folder.path, flags: lx_o_directory)
        let path = "/proc/self/fd/\(open.raw)/store"
        #expect(throws: StoreError.self) { try DirectoryStore.create(at: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        try DirectoryStore.create(at: folder.path + "/store")
        #expect(Set(try await kinds(DirectoryStore(path: path))) == ["forbidden"])
    }

    @Test func `A disk that is taken away and comes back is missing meanwhile`() async throws {
        try await withStore { store, path in
            _ = try await store.put([1], at: try key("a/b"))
            try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
            #expect(Set(try await kinds(store)) == ["missing"])
            try FileManager.default.moveItem(atPath: path + "-away", toPath: path)
            #expect(try await store.get(try key("a/b")).value?.bytes == [1])
        }
    }

    @Test func `A store is made below folders that may be passed through and not read`() async throws {
        let folder = try ScratchFolder()
        chmod(folder.path, 0o300)
        defer { chmod(folder.path, 0o700) }
        mkdir(folder.path + "/inner", 0o700)
        try DirectoryStore.create(at: folder.path + "/inner/store")
        let store = DirectoryStore(path: folder.path + "/inner/store")
        #expect(try await store.putIfAbsent([1], at: try key("a/b")).value == .written)
    }

    @Test func `Making a store that is there changes nothing`() async throws {
        try await withStore { store, path in
            _ = try await store.put([1], at: try key("a"))
            try DirectoryStore.create(at: path)
            #expect(try await store.get(try key("a")).value?.bytes == [1])
        }
    }

    @Test func `Links, fifos and directories under an object's name are no objects, and lead nowhere`()
        async throws
    {
        try await withStore { store, path in
            let outside = path + "-outside"
            try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
            try Data("secret".utf8).write(to: URL(filePath: outside + "/f"))
            try FileManager.default.createDirectory(
                atPath: path + "/d/dir", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: path + "/d/link", withDestinationPath: outside + "/f")
            try FileManager.default.createSymbolicLink(atPath: path + "/l", withDestinationPath: outside)
            #expect(mkfifo(path + "/d/fifo", 0o600) == 0)
            for name in ["d/link", "d/dir", "d/fifo"] {
                #expect(
                    await storeError { try await store.get(try key(name)) }?.kind == "invalidAnswer",
                    "\(name)")
                #expect(try await store.putIfAbsent([1], at: try key(name)).value == .occupied)
            }
            let below = try key("l/f")
            #expect(await storeError { try await store.get(below) } != nil)
            #expect(await storeError { try await store.put([1], at: below) } != nil)
            #expect(await storeError { try await store.putIfAbsent([1], at: try key("l/new")) } != nil)
            #expect(try await store.list("", after: nil, limit: 9).value.objects == [])
            #expect(
                await storeError { try await store.list("l/", after: nil, limit: 9) }?.kind == "forbidden")
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["f"])
        }
    }

    @Test func `Names that no key has are passed over`() async throws {
        try await withStore { store, path in
            _ = try await store.put([1], at: try key("a/good"))
            for name in ["A", "a b", "é", "new\nline", ".hidden~", "-", "a:b"] {
                try Data([1]).write(to: URL(filePath: path + "/a/" + name))
            }
            let notText = Array(path.utf8) + Array("/a/".utf8) + [0xff, 0xfe]
            #expect(
                notText.map(CChar.init(bitPattern:)).withUnsafeBufferPointer { raw in
                    raw.withMemoryRebound(to: CChar.self) { _ in
                        mkdir((notText + [0]).map(CChar.init(bitPattern:)), 0o700)
                    }
                } == 0)
            var deep = path + "/a"
            for _ in 0..<300 {
                deep += "/ddd"
                if mkdir(deep, 0o700) != 0 { break }
            }
            let found = try await store.list("", after: nil, limit: 100).value.objects.map(\.key.text)
            #expect(found == ["a/-", "a/good"])
        }
    }

    @Test func `The store's own folder holds no objects`() async throws {
        try await withStore { store, _ in
            for name in ["tmp", "tmp/x"] {
                #expect(await storeError { try await store.put([1], at: try key(name)) }?.kind == "forbidden")
                #expect(
                    await storeError { try await store.putIfAbsent([1], at: try key(name)) }?.kind
                        == "forbidden")
            }
            let objects = try await store.list("tmp/", after: nil, limit: 9).value.objects
            #expect(objects.isEmpty)
        }
    }

    /// The names are such that files and directories sort in each other's midst.
    @Test func `Whatever lies in it, it lists as a store in memory does`() async throws {
        try await withStore { store, _ in
            let model = MemoryStore { .machine }
            let parts = ["a", "a-", "a.b", "a0", "b", "b_", "0", "zz"]
            for _ in 0..<150 {
                let name = (0..<Int.random(in: 1...3)).map { _ in parts.randomElement() ?? "" }.joined(
                    separator: "/")
                // A file cannot also be a directory: those keys are left out.
                let taken = try await model.list("", after: nil, limit: 1000).value.objects.map(\.key.text)
                if taken.contains(where: {
                    $0.hasPrefix(name + "/") || name.hasPrefix($0 + "/") || $0 == name
                }) {
                    continue
                }
                _ = try await model.put([1], at: try key(name))
                _ = try await store.put([1], at: try key(name))
            }
            for _ in 0..<300 {
                let prefix = ["", "a", "a/", "a/a", "a/a/", "b_/a", "a.b/0/zz", "z"].randomElement() ?? ""
                let after =
                    Bool.random()
                    ? nil
                    : ObjectKey([parts, parts].compactMap { $0.randomElement() }.joined(separator: "/"))
                let limit = Int.random(in: 1...20)
                let expected = try await model.list(prefix, after: after, limit: limit).value
                let found = try await store.list(prefix, after: after, limit: limit).value
                #expect(found.objects.map(\.key) == expected.objects.map(\.key))
                #expect(found.isTruncated == expected.isTruncated)
            }
        }
    }

    @Test func `A folder with more names than are held at a time is listed whole`() async throws {
        try await withStore { store, path in
            let count = 2600
            mkdir(path + "/log", 0o700)
            for number in 0..<count { close(open(path + "/log/\(100_000 + number)", O_CREAT, 0o600)) }
            // Folders without objects count for nothing.
            for number in 0..<1100 { mkdir(path + "/\(10_000 + number)", 0o700) }
            var found = 0
            var last: ObjectKey?
            while true {
                let page = try await store.list("", after: last, limit: 777).value
                #expect(page.objects.first.map { $0.key.text } == "log/\(100_000 + found)")
                found += page.objects.count
                last = page.objects.last?.key
                if !page.isTruncated { break }
            }
            #expect(found == count)
        }
    }

    @Test(.enabled(if: Process.effectiveUserID == 0, "mounting needs root"))
    func `A full disk is full, and nothing is left of the object; a read-only one is forbidden`() async throws
    {
        let folder = try ScratchFolder()
        let path = folder.path
        try valueOrErrno(lx_mount("none", path, "tmpfs", 0, "size=256k"))
        defer { _ = lx_umount(path, lx_mnt_detach) }
        try DirectoryStore.create(at: path)
        let store = DirectoryStore(path: path)
        let big = [UInt8](repeating: 1, count: 1 << 20)
        #expect(await storeError { try await store.putIfAbsent(big, at: try key("a/big")) }?.kind == "full")
        #expect(await storeError { try await store.put(big, at: try key("a/big")) }?.kind == "full")
        #expect(try await store.get(try key("a/big")).value == nil)
        let left = try FileManager.default.contentsOfDirectory(atPath: path + "/tmp")
        #expect(Set(left).subtracting(["clock"]) == ["reserve"])
        #expect(try await store.putIfAbsent([1], at: try key("a/small")).value == .written)
        let remount: UInt64 = 32
        try valueOrErrno(lx_mount("none", path, "tmpfs", remount | lx_ms_rdonly, "size=256k"))
        #expect(
            await storeError { try await store.putIfAbsent([1], at: try key("b/c")) }?.kind == "forbidden")
        #expect(await storeError { try await store.put([1], at: try key("a/small")) }?.kind == "forbidden")
        #expect(await storeError { try await store.delete(try key("a/small")) }?.kind == "forbidden")
        #expect(try await store.get(try key("a/small")).value?.bytes == [1])
    }

    @Test func `What a killed writer left is removed when it is a day old`() async throws {
        try await withStore { store, path in
            for (name, age) in [("old", 90_000.0), ("young", 80_000.0)] {
                let file = path + "/tmp/" + name
                try Data([1]).write(to: URL(filePath: file))
                let attributes = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -age)]
                try FileManager.default.setAttributes(attributes, ofItemAtPath: file)
            }
            _ = try await store.put([1], at: try key("a"))
            let left = try FileManager.default.contentsOfDirectory(atPath: path + "/tmp").sorted()
            #expect(left == ["clock", "reserve", "young"])
        }
    }

    @Test func `Objects and folders get the rights of the store's folder`() async throws {
        try await withStore { store, path in
            func mode(_ name: String) throws -> Int {
                try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int ?? 0
            }
            _ = try await store.put([1], at: try key("private/a"))
            #expect(try mode("/private") == 0o700 && mode("/private/a") == 0o600)
            chmod(path, 0o770)
            let mask = umask(0)
            defer { umask(mask) }
            _ = try await store.putIfAbsent([1], at: try key("shared/a"))
            #expect(try mode("/shared") == 0o770 && mode("/shared/a") == 0o660)
        }
    }

    @Test func `Its threads end when there is nothing to do`() async throws {
        func threads() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
                (try? contents(of: "/proc/self/task/\(task)/comm")) == "store\n"
            }
        }
        try await withStore { store, _ in
            await withTaskGroup { group in
                for number in 0..<40 {
                    group.addTask { _ = try? await store.put([1], at: try key("n\(number)")) }
                }
            }
            try await waitUntil(seconds: 20) { try threads() == 0 }
            _ = try await store.put([1], at: try key("again"))
        }
    }
}
