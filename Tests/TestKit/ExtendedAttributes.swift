import CLinux
import Posix
import SystemPackage

/// Sets an extended attribute; nil, or the error.
public func setAttribute(_ name: String, _ value: [UInt8], of path: String) -> Errno? {
    error(lx_setxattrat(lx_at_fdcwd, path, name, value, UInt64(value.count), 0))
}

public func removeAttribute(_ name: String, of path: String) -> Errno? {
    error(lx_removexattrat(lx_at_fdcwd, path, name))
}

/// An extended attribute's value; nil where there is none.
public func attribute(_ name: String, of path: String) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 4096)
    let count = lx_getxattrat(lx_at_fdcwd, path, name, &value, UInt64(value.count))
    return count < 0 ? nil : Array(value[..<Int(count)])
}

/// The names of all extended attributes.
public func attributeNames(of path: String) -> [String] {
    var list = [CChar](repeating: 0, count: 4096)
    let count = lx_listxattrat(lx_at_fdcwd, path, &list, UInt64(list.count))
    return list[..<max(0, Int(count))].split(separator: 0).map { name in
        String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

private func error(_ result: Int32) -> Errno? { result < 0 ? Errno(rawValue: -result) : nil }
