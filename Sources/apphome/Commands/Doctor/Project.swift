internal import Doctor
internal import Glibc
internal import Posix
internal import SystemPackage

/// The checkout that a command is run in.
struct Project {
    let settings: ProjectSettings
    /// What stands in for a path of the repository; nil: there is nothing that could.
    let anchor: String?
    /// The repository's top; nil: the folder is in none.
    private let top: String?
    private let folder: String

    /// The nearest `.apphome.json`, from the working directory up to the repository's top. Outside of a
    /// repository only the working directory is looked at: what lies above may be anybody's.
    static func current() throws -> Project {
        // Where it was removed there is no checkout either.
        guard let working = try? absolute(".") else {
            return Project(settings: ProjectSettings(), anchor: nil, top: nil, folder: "/")
        }
        let folder = FilePath(working).lexicallyNormalized().string
        let folders = Self.upwards(from: folder)
        let top = folders.first { access("\($0)/.git", F_OK) == 0 }
        let searched = top.map { top in folders.filter { $0.isPath(in: top) } } ?? [folder]
        for place in searched {
            let path = place.appendingName(ProjectSettings.fileName)
            let settings = try InputFile.read(
                path, ProjectSettings.sizeLimit, isOptional: true, ProjectSettings.init(reading:))
            guard let settings else { continue }
            let anchor = place == folder ? ProjectSettings.fileName : nil
            let project = Project(settings: settings, anchor: nil, top: top, folder: folder)
            return Project(
                settings: settings, anchor: anchor.map(project.pathInRepository), top: top, folder: folder)
        }
        return Project(settings: ProjectSettings(), anchor: nil, top: top, folder: folder)
    }

    /// - Parameter path: from the working directory.
    /// - Returns: from the repository's top, where it lies below that.
    func pathInRepository(_ path: String) -> String {
        let whole = FilePath(path.isAbsolutePath ? path : folder.appendingName(path)).lexicallyNormalized()
        guard whole.string.isPath(in: top ?? folder), whole.string != top ?? folder else {
            return whole.string
        }
        return String(whole.string.dropFirst((top ?? folder).count)).pathParts.joined(separator: "/")
    }

    private static func upwards(from folder: String) -> [String] {
        var folders = [folder]
        var path = FilePath(folder)
        while path.removeLastComponent() { folders.append(path.string) }
        return folders
    }
}

extension String {
    fileprivate func appendingName(_ name: String) -> String {
        utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
    }
}
