import Foundation

/// A folder of a test's own, removed with it.
struct ScratchFolder: ~Copyable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "apphome-test-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
