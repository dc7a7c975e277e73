internal import CSQLite

/// A prepared statement. It may outlive its connection, which SQLite then closes with it.
package final class Statement {
    private let connection: OpaquePointer
    private let handle: OpaquePointer

    init(_ connection: OpaquePointer, _ text: String) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, text, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw SQLiteError(code: code, on: connection) }
        self.connection = connection
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// - Returns: whether there is a row.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = SQLiteError(code: code, on: connection)
            sqlite3_reset(handle)
            throw error
        }
    }

    package func reset() { sqlite3_reset(handle) }

    /// Parameters that are not bound again are NULL.
    package func clearBindings() { sqlite3_clear_bindings(handle) }

    /// Binds a parameter, counted from 1.
    package func bind(_ index: Int32, _ text: String) throws(SQLiteError) {
        var text = text
        try check(
            text.withUTF8 {
                sqlite3_bind_text64(
                    handle, index, UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
            })
    }

    package func bind(_ index: Int32, _ bytes: [UInt8]) throws(SQLiteError) {
        try check(
            bytes.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
            })
    }

    package func bind(_ index: Int32, _ number: Int64) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, number))
    }

    /// The text in a column, counted from 0; nil for another type, or what is not UTF-8.
    package func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT,
            let start = sqlite3_column_text(handle, column)
        else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    package func bytes(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Shows the bytes of a text, as its database stores them, or of a blob; nothing else has any. They are
    /// there until the next step.
    package func withBytes(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Void) {
        let type = sqlite3_column_type(handle, column)
        guard type == SQLITE_TEXT || type == SQLITE_BLOB, let start = sqlite3_column_blob(handle, column)
        else { return }
        body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    package func integer(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(handle, column)
    }

    /// A value of any type.
    package enum Value: Equatable, Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        /// Also a text that is not UTF-8.
        case blob([UInt8])
    }

    /// What stands in a column, counted from 0.
    package func value(_ column: Int32) -> Value {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_NULL: return .null
        case SQLITE_TEXT:
            if let text = text(column) { return .text(text) }
        default: break
        }
        var bytes: [UInt8] = []
        withBytes(column) { bytes = Array($0) }
        return .blob(bytes)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: connection) }
    }

    /// SQLite copies what is bound.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}

/// A text or blob that is read in parts.
package final class LongValue {
    private let connection: OpaquePointer
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_blob_close(handle) }

    package var byteCount: Int { Int(sqlite3_blob_bytes(handle)) }

    /// Fills `buffer` from `offset` on; both end within the value.
    package func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SQLiteError) {
        let code = sqlite3_blob_read(handle, buffer.baseAddress, Int32(buffer.count), Int32(offset))
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: connection) }
    }
}
