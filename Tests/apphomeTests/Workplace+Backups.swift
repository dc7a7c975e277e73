import Foundation
import TestKit
import Testing

extension Workplace {
    var backups: String { path + "/backups" }

    /// The folder of the one backup that was made.
    func backup() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: backups)
        #expect(names.count == 1, "\(names)")
        return backups + "/" + (names.first ?? "")
    }

    /// A file with the password "secret".
    func passwordFile() throws -> String {
        try "secret\n".write(toFile: path + "/password", atomically: false, encoding: .utf8)
        return path + "/password"
    }

    func write(_ text: String, to path: String) throws {
        let place = self.path + "/" + path
        let parent = URL(fileURLWithPath: place).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(toFile: place, atomically: false, encoding: .utf8)
    }

    func read(_ path: String) -> String? { text(self.path + "/" + path) }
}
