internal import CLinux
internal import Foundation
internal import Glibc
internal import TestKit

/// All that lies below a directory, with what of it travels to other devices.
struct TreeListing: Equatable {
    struct Item: Equatable, CustomStringConvertible {
        var mode: UInt32
        /// A directory's times follow what is done in it, on each device by itself.
        var modified: Int64?
        var attributes: [String: [UInt8]]
        /// A symbolic link's target.
        var target: String?
        var bytes: Data?

        var description: String {
            let size = bytes.map {
                "\($0.count) bytes, sum \($0.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) })"
            }
            return "mode \(String(mode, radix: 8)) modified \(modified ?? 0) \(attributes.keys.sorted())"
                + " \(target ?? "") \(size ?? "")"
        }
    }

    private(set) var items: [String: Item] = [:]

    init(below directory: String) throws {
        var left = [""]
        while let path = left.popLast() {
            // What goes meanwhile is not there.
            let names = try path.isEmpty ? names(in: directory) : (try? names(in: directory + path)) ?? []
            for name in names {
                guard let item = Self.item(directory + path + "/" + name) else { continue }
                items[(path + "/" + name).dropFirst().description] = item
                if item.mode & S_IFMT == S_IFDIR { left.append(path + "/" + name) }
            }
        }
    }

    private static func item(_ path: String) -> Item? {
        guard let status = try? status(path) else { return nil }
        let kind = status.st_mode & S_IFMT
        let isLink = kind == S_IFLNK
        var attributes: [String: [UInt8]] = [:]
        // What the program tells of its own work is no part of the item.
        for name in isLink ? [] : attributeNames(of: path) where !name.hasPrefix("com.apple.ubiquity.") {
            attributes[name] = attribute(name, of: path)
        }
        return Item(
            mode: status.st_mode,
            modified: kind == S_IFREG
                ? Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec) : nil,
            attributes: attributes,
            target: isLink ? try? FileManager.default.destinationOfSymbolicLink(atPath: path) : nil,
            bytes: kind == S_IFREG ? FileManager.default.contents(atPath: path) : nil)
    }

    func differences(from expected: TreeListing) -> [String] {
        Set(items.keys).union(expected.items.keys).sorted().compactMap { path in
            let (here, there) = (items[path], expected.items[path])
            guard here != there else { return nil }
            return "\(path): \(here?.description ?? "not there"), not \(there?.description ?? "gone")"
        }
    }
}
