internal import SandboxRules
internal import SystemPackage

/// Names of one directory that are one name elsewhere.
struct NameClashCheck {
    /// Of one directory.
    private static let mostNames = 10_000

    func look(at all: DirectoryNames, in path: String, _ found: inout FindingList) throws(Errno) {
        // Mostly all are different even so.
        let repeated = all.repeated
        if repeated.isEmpty { return }
        let names = try all.names(with: repeated, limit: Self.mostNames)
        if names.count == Self.mostNames {
            found.add(.unexamined, path, "only \(names.count) names that are nearly the same were compared")
        }
        var first: [NameKey: String] = [:]
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard let other = first.updateValue(name, forKey: NamePolicy.simulator.key(name)) else {
                continue
            }
            // Each with the one before it: three names are two findings.
            if NamePolicy.device.key(name) == NamePolicy.device.key(other) {
                found.add(
                    .nameForm, path.child(name),
                    "another item beside it is called the same in another Unicode form")
            } else {
                found.add(.nameCase, path.child(name), "beside it lies \(other.quoted)")
            }
        }
    }
}

struct BackslashCheck: ItemCheck {
    func look(at item: WalkedItem, _ found: inout FindingList) {
        guard item.name.utf8.contains(UInt8(ascii: "\\")) else { return }
        let parts = item.name.utf8.split(separator: UInt8(ascii: "\\")).compactMap { String($0) }
        let directory = String(Substring(item.path.utf8.dropLast(item.name.utf8.count)))
        let meant = directory + parts.joined(separator: "/")
        found.add(.nameBackslash, item.path, "one item; perhaps \(meant.quoted) was meant")
    }
}
