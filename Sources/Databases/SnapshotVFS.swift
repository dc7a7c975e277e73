internal import CSQLite
internal import Posix
internal import SystemPackage

/// How SQLite reads a `DatabaseSnapshot`: a file system with that one file, which never changes. It can lock,
/// write and make nothing, and no other file is there.
enum SnapshotVFS {
    private static let name: StaticString = "apphome-snapshot"
    /// Snapshots that are being opened, by their names there. Leaf.
    private static let waiting = Lock<(next: Int, snapshots: [String: DatabaseSnapshot])>((0, [:]))

    /// Opens a database that is the snapshot.
    /// - Parameter body: opens by the name of a file and that of this file system.
    static func open(
        _ snapshot: DatabaseSnapshot, _ body: (String, String) throws(SQLiteError) -> OpaquePointer
    ) throws(SQLiteError) -> OpaquePointer {
        guard isRegistered else { throw SQLiteError(code: SQLITE_ERROR, "no file system") }
        let file = waiting.withLock { waiting in
            waiting.next += 1
            waiting.snapshots["\(waiting.next)"] = snapshot
            return "\(waiting.next)"
        }
        defer { waiting.withLock { _ = $0.snapshots.removeValue(forKey: file) } }
        return try body(file, name.description)
    }

    /// Whether the registration succeeded; done once.
    private static let isRegistered: Bool = {
        guard let standard = sqlite3_vfs_find("unix") else { return false }
        // Kept for the life of the process, as SQLite asks of a registered one.
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: standard.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        own.pointee.szOsFile = Int32(SnapshotFile.byteCount)
        own.pointee.xFullPathname = { _, path, capacity, out in
            guard let path, let out else { return SQLITE_CANTOPEN }
            var count = 0
            while path[count] != 0 { count += 1 }
            guard count < Int(capacity) else { return SQLITE_CANTOPEN }
            out.update(from: path, count: count + 1)
            return SQLITE_OK
        }
        own.pointee.xOpen = { _, path, file, flags, out in
            guard let file else { return SQLITE_CANTOPEN }
            file.pointee.pMethods = nil
            guard let path, flags & SQLITE_OPEN_MAIN_DB != 0,
                let snapshot = waiting.withLock({ $0.snapshots[String(cString: path)] })
            else { return SQLITE_CANTOPEN }
            SnapshotFile.begin(file, snapshot)
            out?.pointee = SQLITE_OPEN_READONLY
            return SQLITE_OK
        }
        own.pointee.xAccess = { _, _, _, out in
            out?.pointee = 0
            return SQLITE_OK
        }
        own.pointee.xDelete = { _, _, _ in SQLITE_READONLY }
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()
}

/// The file that SQLite has open: its own part, and behind it the snapshot.
private enum SnapshotFile {
    private static let place = MemoryLayout<sqlite3_file>.stride
    static let byteCount = place + MemoryLayout<UnsafeMutableRawPointer>.stride

    /// SQLite has allocated `byteCount` bytes there.
    static func begin(_ file: UnsafeMutablePointer<sqlite3_file>, _ snapshot: DatabaseSnapshot) {
        UnsafeMutableRawPointer(file).storeBytes(
            of: Unmanaged.passRetained(snapshot).toOpaque(), toByteOffset: place,
            as: UnsafeMutableRawPointer.self)
        file.pointee.pMethods = methods
    }

    /// Only for a file that `begin` has filled, and none that is closed.
    private static func held(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<DatabaseSnapshot> {
        .fromOpaque(UnsafeRawPointer(file).load(fromByteOffset: place, as: UnsafeMutableRawPointer.self))
    }

    // Written here alone, and by nobody afterwards; kept for the life of the process.
    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var own = sqlite3_io_methods()
        own.iVersion = 1
        own.xClose = { file in
            if let file { held(file).release() }
            return SQLITE_OK
        }
        own.xRead = { file, buffer, count, offset in
            guard let file, let buffer, count >= 0, offset >= 0 else { return SQLITE_IOERR }
            let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return read(held(file).takeUnretainedValue(), bytes, UInt64(offset))
        }
        own.xWrite = { _, _, _, _ in SQLITE_READONLY }
        own.xTruncate = { _, _ in SQLITE_READONLY }
        own.xSync = { _, _ in SQLITE_OK }
        own.xFileSize = { file, size in
            guard let file else { return SQLITE_IOERR }
            size?.pointee = Int64(clamping: held(file).takeUnretainedValue().sizeBytes)
            return SQLITE_OK
        }
        own.xLock = { _, _ in SQLITE_OK }
        own.xUnlock = { _, _ in SQLITE_OK }
        own.xCheckReservedLock = { _, isHeld in
            isHeld?.pointee = 0
            return SQLITE_OK
        }
        own.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        own.xSectorSize = { _ in 4096 }
        own.xDeviceCharacteristics = { _ in SQLITE_IOCAP_IMMUTABLE }
        methods.initialize(to: own)
        return UnsafePointer(methods)
    }()

    private static func read(
        _ snapshot: DatabaseSnapshot, _ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64
    ) -> Int32 {
        let there = min(UInt64(buffer.count), snapshot.sizeBytes - min(offset, snapshot.sizeBytes))
        let (first, rest) = (buffer[..<Int(there)], buffer[Int(there)...])
        UnsafeMutableRawBufferPointer(rebasing: rest).initializeMemory(as: UInt8.self, repeating: 0)
        do throws(Errno) {
            try snapshot.read(UnsafeMutableRawBufferPointer(rebasing: first), at: offset)
        } catch {
            return ioErrorRead
        }
        return rest.isEmpty ? SQLITE_OK : ioErrorShortRead
    }
}

/// These are macros of an expression, which are not imported.
private let ioErrorRead = SQLITE_IOERR | 1 << 8
private let ioErrorShortRead = SQLITE_IOERR | 2 << 8
