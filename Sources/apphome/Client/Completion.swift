internal import ArgumentParser
internal import Glibc
internal import Posix
internal import PropertyLists

/// What a shell completes names with. Folders are read, and nothing else: a daemon is neither started nor
/// asked, for one that is busy or stopped would keep the person from typing on.
extension CompletionKind {
    /// The apps of the device that the command line names, else of the default one.
    static let apps = CompletionKind.custom { words, _, prefix in
        guard let device = try? Completion.device(in: words) else { return [] }
        return Completion.apps(of: device, beginning: prefix)
    }

    /// Devices that have a name.
    static let devices = CompletionKind.custom { _, _, _ in (try? Completion.devices()) ?? [] }
}

enum Completion {
    /// The device of a command line that is not complete yet.
    static func device(in words: [String]) throws -> DeviceLocation {
        let option = "--device"
        // bash hands over `--device=X` as three words.
        let words = words.filter { $0 != "=" }
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            if word == option, !next.isEmpty { return try DeviceLocation(next) }
            if word.hasPrefix(option + "=") {
                return try DeviceLocation(String(word.dropFirst(option.count + 1)))
            }
        }
        return try DeviceLocation(nil)
    }

    static func devices() throws -> [String] {
        let folder = try Descriptor(DeviceLocation.devicesFolder(of: nil), flags: O_RDONLY | O_DIRECTORY)
        return names(in: folder).filter { isPlain($0) }.sorted()
    }

    /// Names, and where a name alone does not do, identifiers. Those of all apps where a dot was typed, which
    /// says that an identifier is meant.
    static func apps(of device: DeviceLocation, beginning prefix: String) -> [String] {
        let offered = words(of: device).flatMap { identifier, word in
            guard isPlain(word), word != identifier else { return [identifier] }
            return prefix.contains(".") ? [word, identifier] : [word]
        }
        return offered.filter { isPlain($0) }.sorted()
    }

    /// How the apps of a device are called, by their identifiers: by name, or where several have that name,
    /// or it has no bundle, by identifier.
    static func words(of device: DeviceLocation) -> [String: String] {
        var named = containers("Data", of: device).mapValues { _ in nil as String? }
        for (identifier, entries) in containers("Bundle", of: device) {
            let bundle = entries.first { $0.hasSuffix(".app") }
            named[identifier] = bundle.map { String($0.dropLast(".app".count)) }
        }
        var count: [String: Int] = [:]
        for case let name? in named.values { count[name.lowercased(), default: 0] += 1 }
        var words: [String: String] = [:]
        for (identifier, name) in named {
            words[identifier] = name.flatMap { count[$0.lowercased()] == 1 ? $0 : nil } ?? identifier
        }
        return words
    }

    /// What each container of a device holds, by the identifier that it says it is of.
    private static func containers(_ kind: String, of device: DeviceLocation) -> [String: [String]] {
        var found: [String: [String]] = [:]
        guard let folder = try? Descriptor(device.path, flags: O_RDONLY | O_DIRECTORY),
            let all = try? FileTree.openDirectory(folder.raw, "Containers/\(kind)/Application")
        else { return [:] }
        for name in names(in: all) {
            guard let container = try? FileTree.openDirectory(all.raw, name),
                let bytes = try? FileTree.read(container.raw, metadata, limitBytes: 64 << 10),
                let values = try? PropertyList.dictionary(bytes),
                let identifier = values["MCMMetadataIdentifier"] as? String
            else { continue }
            found[identifier] = names(in: container)
        }
        return found
    }

    /// Every container has it, as on a device.
    private static let metadata = ".com.apple.mobile_container_manager.metadata.plist"

    private static func names(in folder: borrowing Descriptor) -> [String] {
        let names = (try? DirectoryEntries.names(in: folder)) ?? []
        return names.map(\.nameText).filter { !$0.hasPrefix(".") || $0.hasSuffix(".app") }
    }

    /// Whether every shell takes it for one word that means itself.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.first, first != "-", first != "." else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "._-+".contains($0) }
    }
}
