/// A check of items by what is known without opening them.
protocol ItemCheck {
    func look(at item: WalkedItem, _ found: inout FindingList)
}

/// A check of what files hold. It may remember what it has seen, and say the rest at the end.
protocol FileCheck: AnyObject {
    func look(at file: WalkedFile, _ found: inout FindingList)
    func finish(_ found: inout FindingList)
}

extension FileCheck {
    func finish(_ found: inout FindingList) {}
}

/// A check of what an app says of itself.
protocol AppCheck {
    func look(at app: ExaminedApp, _ found: inout FindingList)
}

extension String {
    /// In quotes, where it is a part of a sentence.
    var quoted: String { "\"\(self)\"" }

    /// What comes after the last dot, in small letters; empty where there is none.
    var lowercasedExtension: String {
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot != utf8.startIndex else { return "" }
        return self[utf8.index(after: dot)...].lowercased()
    }

    /// A path's part in a directory.
    func child(_ name: String) -> String { isEmpty ? name : self + "/" + name }
}

/// A number of bytes, for people.
func byteText(_ bytes: UInt64) -> String {
    let units: [(String, Double)] = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)]
    for (name, size) in units where Double(bytes) >= size {
        let tenths = (Double(bytes) / size * 10).rounded(.down) / 10
        return "\(tenths) \(name)"
    }
    return "\(bytes) B"
}
