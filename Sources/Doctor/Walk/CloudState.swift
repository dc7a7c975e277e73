internal import CLinux
internal import SandboxRules

/// Whether a document's contents are on this device, as the mount says.
enum CloudState {
    /// What `com.apple.ubiquity.status` is of a document whose bytes are in the cloud alone.
    static let dataless = "not-downloaded"

    static func isDataless(_ item: WalkedItem) -> Bool {
        var value = [UInt8](repeating: 0, count: 64)
        let size = lx_getxattrat(
            item.directory, item.name, AttributeName.status.description, &value, UInt64(value.count))
        return size > 0 && value[..<Int(size)].elementsEqual(dataless.utf8)
    }
}
