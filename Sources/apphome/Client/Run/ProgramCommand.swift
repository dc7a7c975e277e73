internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// What can be known of a program before it starts: what it is made with, and whether Linux runs it.
struct ProgramCommand {
    /// The program and its arguments.
    let words: [String]
    /// Where it starts, as it sees it.
    let directory: String
    /// Folders as it sees them, and where they lie outside.
    var places: [(inside: String, outside: String)] = []

    /// What decides where the person did not say; nil: nothing does.
    var kind: AppEnvironment.Kind? {
        guard let program = words.first else { return nil }
        switch program.pathParts.last {
        case "mono", "mono-sgen": return .mono
        case "dotnet": return kindOfDotnet
        default: return program.hasSlash ? kind(by: program + Self.settings) : nil
        }
    }

    /// `dotnet X.dll` or `dotnet exec …`; other commands of it are tools.
    private var kindOfDotnet: AppEnvironment.Kind? {
        let arguments = words.dropFirst()
        guard let library = arguments.first(where: { $0.hasSuffix(".dll") || $0.hasSuffix(".exe") }) else {
            return nil
        }
        guard arguments.first == "exec" || arguments.first == library else { return nil }
        if let option = arguments.firstIndex(of: "--runtimeconfig"), option + 1 < arguments.endIndex {
            return kind(by: arguments[option + 1]) ?? .dotnet
        }
        return kind(by: library.dropLast(4) + Self.settings) ?? .dotnet
    }

    private static let settings = ".runtimeconfig.json"

    /// .NET before 8 takes `$HOME` for the documents' folder, as Mono does.
    /// - Returns: nil where there are no such settings.
    private func kind(by settings: String) -> AppEnvironment.Kind? {
        guard let bytes = content(of: settings, most: 1 << 20),
            let settings = try? JSONDecoder().decode(RuntimeSettings.self, from: Data(bytes)),
            let version = settings.majorVersion
        else { return nil }
        return version < 8 ? .mono : .dotnet
    }

    /// Whether it is made for Apple's systems (`mach-o/loader.h`, `mach-o/fat.h`).
    var isMachO: Bool {
        guard let program = words.first, program.hasSlash, let head = content(of: program, most: 4) else {
            return false
        }
        let magic = head.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return head.count == 4
            && [0xFEED_FACE, 0xFEED_FACF, 0xCEFA_EDFE, 0xCFFA_EDFE, 0xCAFE_BABE].contains(magic)
    }

    /// The first bytes of a regular file that the program would find there; nil where none is, or it is not
    /// to be seen from here.
    private func content(of path: String, most: Int) -> [UInt8]? {
        let inside = path.isAbsolutePath ? path : directory + "/" + path
        let place = places.first { inside.isPath(in: $0.inside) }
        let outside = place.map { $0.outside + inside.dropFirst($0.inside.count) } ?? inside
        // Whatever an app has put there, it holds nobody up.
        guard let file = try? Descriptor(outside, flags: O_NONBLOCK) else { return nil }
        var status = stat()
        guard fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: min(most, Int(clamping: status.st_size)))
        let count = pread(file.raw, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
}

/// `NAME.runtimeconfig.json`: which .NET a program wants.
private struct RuntimeSettings: Decodable {
    struct Framework: Decodable { var version: String? }
    struct Options: Decodable {
        var framework: Framework?
        var frameworks: [Framework]?
        /// Of a program that brings its own.
        var includedFrameworks: [Framework]?
    }
    var runtimeOptions: Options?

    var majorVersion: Int? {
        let options = runtimeOptions
        let all = [options?.framework].compactMap { $0 } + (options?.frameworks ?? [])
        let version = (all + (options?.includedFrameworks ?? [])).first?.version
        return version?.split(separator: ".").first.flatMap { Int($0) }
    }
}
