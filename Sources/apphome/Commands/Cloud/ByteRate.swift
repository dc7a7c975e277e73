internal import ArgumentParser
internal import SandboxRules

/// Bytes a second, as a person writes them; 0: no limit.
struct ByteRate: ExpressibleByArgument {
    let bytes: Int64

    init?(argument: String) {
        if argument == "none" {
            bytes = 0
            return
        }
        guard let bytes = ByteCount.parse(argument) else { return nil }
        self.bytes = bytes
    }
}
