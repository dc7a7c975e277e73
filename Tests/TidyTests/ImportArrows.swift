/// Which rooms of `Sources` a room may import. Arrows go one way, so that a room is read, built and tested
/// without those that use it.
enum ImportArrows {
    /// A room after all those that it may import.
    static let allowed: KeyValuePairs<String, Set<String>> = [
        "CLinux": [],
        "CFuse": [],
        "CRing": [],
        "CArchive": [],
        "CSQLite": [],
        "SandboxRules": [],
        "Posix": ["CLinux"],
        "PropertyLists": ["SandboxRules", "Posix"],
        "FuseKit": ["CFuse", "CRing", "CLinux", "Posix"],
        "HomeTree": ["SandboxRules", "Posix", "CLinux"],
        "HomeFiles": ["HomeTree", "SandboxRules", "Posix", "CLinux"],
        "SandboxFS": ["FuseKit", "HomeFiles", "HomeTree", "SandboxRules", "Posix", "CLinux"],
        "Databases": ["CSQLite", "Posix", "CLinux"],
        "StoreBasics": [],
        "CloudStore": ["StoreBasics", "Posix", "CLinux"],
        "SyncLog": ["StoreBasics", "Posix"],
        "SyncContent": ["SyncLog", "CloudStore", "StoreBasics", "SandboxRules", "Posix"],
        "CloudSync": [
            "SyncContent", "SyncLog", "CloudStore", "StoreBasics", "Databases", "HomeTree", "SandboxRules",
            "Posix", "CLinux",
        ],
        "Device": ["CArchive", "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux"],
        "Backup": ["CArchive", "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux"],
        "BackupFS": ["Backup", "Databases", "FuseKit", "Posix", "CLinux"],
        "HomeSnapshots": ["Backup", "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux"],
        "Doctor": ["Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux"],
        "Wire": ["PropertyLists", "SandboxRules", "Posix", "CLinux"],
        "DeviceServer": [
            "Wire", "CloudSync", "SyncContent", "SyncLog", "CloudStore", "StoreBasics", "Databases",
            "HomeSnapshots", "Backup", "SandboxFS", "FuseKit", "HomeFiles", "HomeTree", "Device",
            "PropertyLists", "SandboxRules", "Posix", "CLinux",
        ],
        "apphome": [
            "DeviceServer", "Wire", "CloudStore", "Databases", "BackupFS", "HomeSnapshots", "Backup",
            "Doctor", "FuseKit", "PropertyLists", "SandboxRules", "Posix", "CLinux",
        ],
        "apphome-bench": ["Wire", "FuseKit", "Posix", "CLinux"],
    ]

    /// Rooms that only these files import: the daemon is entered by the commands that are one.
    static let entrances: [String: Set<String>] = [
        "DeviceServer": [
            "Sources/apphome/Commands/DaemonCommand.swift", "Sources/apphome/Commands/Foreground.swift",
        ]
    ]

    private static let rooms = Dictionary(uniqueKeysWithValues: allowed.map { ($0.key, $0.value) })

    /// - Returns: the imports of rooms that the file's room may not import.
    static func forbidden(_ file: TextFile) -> [String] {
        let path = file.path.split(separator: "/").map(String.init)
        guard file.isSwift, file.isProduct, path.count > 2 else { return [] }
        guard let known = rooms[path[1]] else { return ["\(file.path): the room \(path[1]) has no arrows"] }
        return file.lines.enumerated().compactMap { index, line in
            guard let module = module(importedBy: line), rooms[module] != nil else { return nil }
            let isOpen = entrances[module]?.contains(file.path) ?? true
            return known.contains(module) && isOpen
                ? nil : "\(file.path):\(index + 1): \(path[1]) imports \(module)"
        }
    }

    /// Arrows that lead to a room which does not stand above: a circle, or a room that is none.
    static var backward: [String] {
        var above: Set<String> = []
        return allowed.flatMap { room, known in
            defer { above.insert(room) }
            return known.subtracting(above).sorted().map { "\(room) -> \($0)" }
        }
    }

    private static func module(importedBy line: String) -> String? {
        guard line.contains("import ") else { return nil }
        let form = #/^ *(?:@[a-z]+ +)?(?:[a-z]+ +)?import +(?:[a-z]+ +(?=[A-Za-z_]))?([A-Za-z_0-9]+)/#
        return line.firstMatch(of: form).map { String($0.1) }
    }
}
