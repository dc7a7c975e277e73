internal import Glibc

/// What the steps of one case hold open, by the names that the case gives.
///
/// Used by the thread of its case alone, whose working directory is the case's own directory.
final class World {
    var descriptors: [String: Int32] = [:]
    var mappings: [String: UnsafeMutableRawBufferPointer] = [:]
    var listings: [String: OpaquePointer] = [:]
    var positions: [String: Int] = [:]
    var children: [String: Child] = [:]
    /// The socket to the parent, in a child.
    var parent: Int32?

    /// The descriptor of that name; -1, which every call answers with EBADF, where there is none.
    func descriptor(_ key: String) -> Int32 { descriptors[key] ?? -1 }

    /// Keeps an opened descriptor under `key`; closes the one that was there.
    func keep(_ descriptor: Int32, as key: String) {
        if let old = descriptors.updateValue(descriptor, forKey: key) { close(old) }
    }

    deinit {
        for child in children.values { _ = child.reap() }
        for mapping in mappings.values { munmap(mapping.baseAddress, mapping.count) }
        for listing in listings.values { closedir(listing) }
        for descriptor in descriptors.values { close(descriptor) }
    }
}
