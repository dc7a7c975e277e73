internal import ArgumentParser
internal import SandboxRules

/// Bytes, as a person writes them: 500M, 5G.
struct ByteAmount: ExpressibleByArgument {
    let bytes: Int64

    init?(argument: String) {
        guard let bytes = ByteCount.parse(argument) else { return nil }
        self.bytes = bytes
    }
}
