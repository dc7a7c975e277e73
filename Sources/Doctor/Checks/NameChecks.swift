internal import SandboxRules

/// Names of one directory that are one name elsewhere.
struct NameClashCheck: NameCheck {
    func look(at names: [String], in path: String, _ found: inout FindingList) {
        // Mostly all are different even so.
        var first: [NameKey: String] = [:]
        first.reserveCapacity(names.count)
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

struct BackslashCheck: NameCheck {
    func look(at names: [String], in path: String, _ found: inout FindingList) {
        for name in names where name.utf8.contains(UInt8(ascii: "\\")) {
            let meant = name.utf8.split(separator: UInt8(ascii: "\\")).compactMap { String($0) }
            found.add(
                .nameBackslash, path.child(name),
                "one item; perhaps \(path.child(meant.joined(separator: "/")).quoted) was meant")
        }
    }
}
