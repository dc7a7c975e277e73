internal import CLinux

/// A script for root that messages name, because it changes a setting of the whole machine.
public enum HelpingScript: String, Sendable {
    case allowRun = "allow-run"
    case enableRing = "enable-ring"

    /// Where a person finds it: the path that an installation gave it, else its name in a checkout.
    public var path: String {
        let program = (try? linkTarget("/proc/self/exe")).map { String(decoding: $0, as: UTF8.self) }
        return path(besideProgram: program ?? "")
    }

    /// As the program with the absolute path `program` says it: an installed one is `PREFIX/bin/NAME`, and
    /// its scripts are in `PREFIX/share/apphome`.
    package func path(besideProgram program: String) -> String {
        let folders = program.parts(between: "/").dropLast()
        if folders.last == "bin" {
            let installed = (folders.dropLast() + ["share", "apphome", rawValue]).map { "/" + $0 }.joined()
            if (try? Descriptor(installed, flags: lx_o_path)) != nil { return installed }
        }
        return "mount-scripts/\(rawValue)"
    }
}
