/// The bytes of a file name, borrowed: valid for the call that they were given to, and NUL-terminated.
///
/// Names stay bytes on the way from the kernel to the backing file system: no String is made for one.
public struct FileName {
    public let cString: UnsafePointer<CChar>
    /// Bytes without the NUL.
    public let count: Int

    public init(_ cString: UnsafePointer<CChar>) {
        self.cString = cString
        var count = 0
        while cString[count] != 0 { count += 1 }
        self.count = count
    }

    public init(_ cString: UnsafePointer<CChar>, count: Int) {
        self.cString = cString
        self.count = count
    }

    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: cString, count: count) }

    /// The name as text; invalid UTF-8 is repaired, so this is for people and events only.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public var isDotOrDotDot: Bool {
        cString[0] == 0x2e && (count == 1 || (count == 2 && cString[1] == 0x2e))
    }
}

extension String {
    /// Runs `body` with this text as a borrowed file name.
    public func withFileName<R, E: Error>(_ body: (FileName) throws(E) -> R) throws(E) -> R {
        var outcome: Result<R, E>?
        withCString { pointer in
            let name = FileName(pointer)
            do throws(E) { outcome = .success(try body(name)) } catch { outcome = .failure(error) }
        }
        // withCString calls its body exactly once.
        return try outcome.unsafelyUnwrapped.get()
    }
}
