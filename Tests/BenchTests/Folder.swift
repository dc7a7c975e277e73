import Foundation

/// An empty folder that goes with this value.
struct Folder: ~Copyable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "apphome-test-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["unreadable"] }

    /// Of everything below too.
    var deepNames: [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? ["unreadable"]
    }
}
