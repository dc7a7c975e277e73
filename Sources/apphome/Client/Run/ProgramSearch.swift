internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix

/// Where a program is looked for, as execvp(3) does it, and whether it is there to be started. What starts it
/// inside of the sandbox is another program, and would complain of it in its own name.
struct ProgramSearch {
    enum Outcome: Equatable {
        /// Its path, as the program sees it; also of what cannot be told from here.
        case found(String)
        case missing
        /// It is there, where the app sees nothing.
        case outOfSight
        case notExecutable
    }

    /// What an app sees of this system, beside the system's own folders.
    struct View {
        /// Folders as it sees them, and where they lie outside.
        var places: [(inside: String, outside: String)]
        /// What it does not see where it lies; absolute, without links.
        var hidden: [String]
    }

    /// Where the program starts, as it sees that.
    let directory: String
    /// The search path; nil: the system's.
    let path: String?
    /// Nil: all, as it is.
    var view: View?

    /// What is said of a program that cannot be started, and the exit status that shells have for it.
    /// - Returns: nil where it can, as far as that shows from here.
    func refusal(of name: String) -> (text: String, status: Int32)? {
        switch find(name) {
        case .found: nil
        case .missing: ("\(name): not found", 127)
        case .outOfSight: ("\(name): not found: it lies outside of what the app sees", 127)
        case .notExecutable: ("\(name): not executable", 126)
        }
    }

    func find(_ name: String) -> Outcome {
        if name.hasSlash { return look(at: name) }
        var outcome = Outcome.missing
        for folder in name.isEmpty ? [] : folders {
            let candidate = folder.isEmpty ? "./" + name : folder + "/" + name
            switch look(at: candidate) {
            case .found: return .found(candidate)
            case .missing: continue
            case .outOfSight where outcome == .notExecutable: continue
            case let worse: outcome = worse
            }
        }
        return outcome
    }

    private var folders: [String] { (path ?? "/bin:/usr/bin").parts(between: ":", keepingEmpty: true) }

    private func look(at candidate: String) -> Outcome {
        let inside = candidate.isAbsolutePath ? candidate : directory + "/" + candidate
        let isThere = Outcome.found(candidate)
        guard let view else { return Self.state(of: inside) ?? isThere }
        // Where that leads is for the links on the way to say.
        if inside.pathParts.contains("..") { return isThere }
        if let place = view.places.first(where: { inside.isPath(in: $0.inside) }) {
            return Self.state(of: inside.dropFirst(place.inside.count).pathParts, in: place.outside)
                ?? isThere
        }
        if inside.isPath(in: Sandbox.innerPrograms) { return .missing }
        if Sandbox.madeUpFolders.contains(where: inside.isPath) { return isThere }
        let state = Self.state(of: inside)
        guard let real = try? MountPoint.resolve(inside), Sandbox.systemFolders.contains(where: real.isPath),
            !view.hidden.contains(where: real.isPath)
        else { return state == nil ? .outOfSight : .missing }
        return state ?? isThere
    }

    /// What lies in a folder that is closed to us is not there: a search path may well have such folders.
    /// - Returns: nil for a program that can be started.
    private static func state(of path: String) -> Outcome? {
        var status = stat()
        guard stat(path, &status) == 0 else { return .missing }
        return status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0 ? nil : .notExecutable
    }

    /// The same below a folder that the app sees at another place: where a link in it leads, only the app
    /// sees.
    private static func state(of parts: [String], in folder: String) -> Outcome? {
        var path = folder
        for part in parts {
            path += "/" + part
            var status = stat()
            guard lstat(path, &status) == 0 else { return .missing }
            if status.st_mode & S_IFMT == S_IFLNK { return nil }
        }
        return state(of: path)
    }
}
