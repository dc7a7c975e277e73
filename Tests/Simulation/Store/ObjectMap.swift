internal import CloudStore
internal import StoreBasics

/// Objects by their keys, which stand in order.
struct ObjectMap {
    struct Object {
        var bytes: [UInt8]
        var modified: StoreTime
    }

    private(set) var objects: [ObjectKey: Object] = [:]
    /// Ascending, for `list`.
    private var keys: [ObjectKey] = []

    subscript(key: ObjectKey) -> Object? {
        get { objects[key] }
        set {
            if objects[key] == nil, newValue != nil { keys.insert(key, at: position(of: key)) }
            if objects[key] != nil, newValue == nil { keys.remove(at: position(of: key)) }
            objects[key] = newValue
        }
    }

    func info(of key: ObjectKey) -> ObjectInfo? {
        objects[key].map {
            ObjectInfo(key: key, sizeBytes: UInt64($0.bytes.count), lastModified: $0.modified)
        }
    }

    func list(_ prefix: String, after: ObjectKey?, limit: Int) -> ObjectListing {
        var index = after.map { position(of: $0) } ?? 0
        if let after, index < keys.count, keys[index] == after { index += 1 }
        var found: [ObjectInfo] = []
        while index < keys.count {
            let key = keys[index]
            index += 1
            guard key.text.hasPrefix(prefix) else {
                // In order of bytes all that begin so stand together.
                if found.isEmpty && key.text.utf8.lexicographicallyPrecedes(prefix.utf8) { continue }
                break
            }
            if found.count == limit { return ObjectListing(objects: found, isTruncated: true) }
            if let info = info(of: key) { found.append(info) }
        }
        return ObjectListing(objects: found, isTruncated: false)
    }

    func keys(under prefix: String) -> [ObjectKey] { keys.filter { $0.text.hasPrefix(prefix) } }

    /// Where a key stands, or would.
    private func position(of key: ObjectKey) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
