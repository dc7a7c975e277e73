internal import CSQLite
internal import Posix
package import SystemPackage

/// The bytes of a database that nobody changes while SQLite reads them, wherever they come from.
package protocol DatabaseBytes: AnyObject {
    var sizeBytes: UInt64 { get }
    /// Fills `buffer` with what lies from `offset` on; all of that is there.
    /// - Throws: `Errno` where it cannot be read.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno)
}

/// How SQLite reads `DatabaseBytes`: a file system with that one file. It can lock, write and make nothing,
/// and no other file is there.
enum ReadOnlyVFS {
    private static let name: StaticString = "apphome-read-only"
    /// What is being opened, by its name there. Leaf.
    private static let waiting = Lock<(next: Int, bytes: [String: any DatabaseBytes])>((0, [:]))

    /// Opens a database of these bytes.
    /// - Parameter body: opens by the name of a file and that of this file system.
    static func open(
        _ bytes: any DatabaseBytes, _ body: (String, String) throws(SQLiteError) -> OpaquePointer
    ) throws(SQLiteError) -> OpaquePointer {
        guard isRegistered else { throw SQLiteError(code: SQLITE_ERROR, "no file system") }
        let file = waiting.withLock { waiting in
            waiting.next += 1
            waiting.bytes["\(waiting.next)"] = bytes
            return "\(waiting.next)"
        }
        defer { waiting.withLock { _ = $0.bytes.removeValue(forKey: file) } }
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
        own.pointee.szOsFile = Int32(ReadOnlyFile.byteCount)
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
                let bytes = waiting.withLock({ $0.bytes[String(cString: path)] })
            else { return SQLITE_CANTOPEN }
            ReadOnlyFile.begin(file, bytes)
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

/// The file that SQLite has open: its own part, and behind it what the bytes come from.
private enum ReadOnlyFile {
    /// A class of its own: a reference to one is a pointer alone.
    private final class Held {
        let bytes: any DatabaseBytes
        init(_ bytes: any DatabaseBytes) { self.bytes = bytes }
    }

    private static let place = MemoryLayout<sqlite3_file>.stride
    static let byteCount = place + MemoryLayout<UnsafeMutableRawPointer>.stride

    /// SQLite has allocated `byteCount` bytes there.
    static func begin(_ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: any DatabaseBytes) {
        UnsafeMutableRawPointer(file).storeBytes(
            of: Unmanaged.passRetained(Held(bytes)).toOpaque(), toByteOffset: place,
            as: UnsafeMutableRawPointer.self)
        file.pointee.pMethods = methods
    }

    /// Only for a file that `begin` has filled, and none that is closed.
    private static func held(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<Held> {
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
            return read(held(file).takeUnretainedValue().bytes, bytes, UInt64(offset))
        }
        own.xWrite = { _, _, _, _ in SQLITE_READONLY }
        own.xTruncate = { _, _ in SQLITE_READONLY }
        own.xSync = { _, _ in SQLITE_OK }
        own.xFileSize = { file, size in
            guard let file else { return SQLITE_IOERR }
            size?.pointee = Int64(clamping: held(file).takeUnretainedValue().bytes.sizeBytes)
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
        _ bytes: any DatabaseBytes, _ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64
    ) -> Int32 {
        let there = min(UInt64(buffer.count), bytes.sizeBytes - min(offset, bytes.sizeBytes))
        let (first, rest) = (buffer[..<Int(there)], buffer[Int(there)...])
        UnsafeMutableRawBufferPointer(rebasing: rest).initializeMemory(as: UInt8.self, repeating: 0)
        do throws(Errno) {
            try bytes.read(UnsafeMutableRawBufferPointer(rebasing: first), at: offset)
        } catch {
            return ioErrorRead
        }
        hideLog(buffer, offset)
        return rest.isEmpty ? SQLITE_OK : ioErrorShortRead
    }
}

/// In a database's header, each a byte: who may write and who may read it; 2 is with a log.
private let versions = 18...19

/// No log is read through this file system: SQLite is told of a database that has none.
private func hideLog(_ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64) {
    for place in versions where UInt64(place) >= offset {
        let index = place - Int(offset)
        if index < buffer.count { buffer[index] = min(buffer[index], 1) }
    }
}

/// These are macros of an expression, which are not imported.
private let ioErrorRead = SQLITE_IOERR | 1 << 8
private let ioErrorShortRead = SQLITE_IOERR | 2 << 8
