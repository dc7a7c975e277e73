import Foundation
import Testing

/// The checkout that these tests belong to.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every regular file below `folder`, sorted by path; hidden folders and build products are left out.
    static func files(below folder: String) -> [TextFile] {
        let top = root.appending(path: folder)
        let options: FileManager.DirectoryEnumerationOptions = [.skipsHiddenFiles]
        let found = FileManager.default.enumerator(
            at: top, includingPropertiesForKeys: [.isRegularFileKey], options: options)
        let urls = (found?.allObjects as? [URL] ?? []).filter { url in
            (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
        return urls.sorted { $0.path < $1.path }.compactMap(TextFile.init)
    }

    /// Every folder below `Sources`, as paths from there.
    static func sourceFolders() throws -> [String] {
        let top = root.appending(path: "Sources")
        return try FileManager.default.subpathsOfDirectory(atPath: top.path).filter { path in
            var isFolder: ObjCBool = false
            let there = FileManager.default.fileExists(
                atPath: top.appending(path: path).path, isDirectory: &isFolder)
            return there && isFolder.boolValue
        }
    }
}

/// A file of text, by lines.
struct TextFile: Sendable, CustomTestStringConvertible {
    /// From the repository's top.
    let path: String
    let lines: [String]

    /// nil where the file is not UTF-8.
    init?(_ url: URL) {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
        path = String(url.path.dropFirst(Repository.root.path.count + 1))
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// For tests of the rules themselves.
    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isProduct: Bool { path.hasPrefix("Sources/") }
    var testDescription: String { path }
}
