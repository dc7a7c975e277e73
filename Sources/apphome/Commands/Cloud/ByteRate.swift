internal import ArgumentParser
internal import Device

/// Bytes a second, as a person writes them.
struct ByteRate: ExpressibleByArgument {
    let bytes: Int64

    init?(argument: String) {
        guard let bytes = ByteCount.parse(argument) else { return nil }
        self.bytes = bytes
    }
}
