import Foundation

/// The house rules that a machine can check. Each returns its findings as `path:line: what`.
enum HouseRules {
    static let lineLimit = 400
    static let functionLineLimit = 70
    static let columnLimit = 110

    static func longFiles(_ file: TextFile) -> [String] {
        file.lines.count > lineLimit + 1 ? ["\(file.path): \(file.lines.count - 1) lines"] : []
    }

    static func longLines(_ file: TextFile) -> [String] {
        findings(in: file) { $0.count > columnLimit ? "\($0.count) columns" : nil }
    }

    /// The parser asks the runtime for the name of a command that does not say it: milliseconds in each
    /// start.
    static func namelessCommands(_ file: TextFile) -> [String] {
        let commands = file.lines.count { $0.contains(": ParsableCommand {") }
        let named = file.lines.count { $0.contains("commandName: ") }
        return commands > named ? ["\(file.path): \(commands) commands, \(named) with their names"] : []
    }

    /// The name of what a line of a protocol, or of who conforms to it, declares in its first column; a
    /// function with its parenthesis.
    static func requirement(_ line: String) -> String? {
        let words = line.split(separator: " ").filter { $0 != "public" }
        guard line.hasPrefix("    "), !line.hasPrefix("     "), words.count > 1,
            words[0] == "func" || words[0] == "var" || words[0] == "let"
        else { return nil }
        let name = words[1].prefix { $0 != "(" && $0 != ":" }
        return words[0] == "func" ? name + "(" : String(name)
    }

    /// A function is from the line that declares it to the line that closes its brace, which stands in the
    /// same column.
    static func longFunctions(_ file: TextFile) -> [String] {
        var found: [String] = []
        for (index, line) in file.lines.enumerated() where declaresFunction(line) {
            guard hasBody(file.lines[index...]) else { continue }
            let closing = String(line.prefix { $0 == " " }) + "}"
            guard let end = file.lines[index...].firstIndex(of: closing) else { continue }
            let count = end - index + 1
            if count > functionLineLimit {
                found.append("\(file.path):\(index + 1): function of \(count) lines")
            }
        }
        return found
    }

    /// The inodes' records are one value's, which keeps what must hold between two of them.
    static func touchedRecords(_ file: TextFile) -> [String] {
        let room = "Sources/HomeTree/"
        guard file.isSwift, file.path.hasPrefix(room), !file.path.hasPrefix(room + "Inodes/") else {
            return []
        }
        return findings(in: file) { line in
            guard line.contains("pointee.") || line.contains("lab") else { return nil }
            // Not \b, to which "tables.slab" is one word.
            let record = #/\.pointee\.|(^|[^A-Za-z0-9_])(slab|InodeSlab)(?![A-Za-z0-9_])/#
            return withoutCommentsAndStrings(line).contains(record) ? "touches an inode's record" : nil
        }
    }

    /// Words of things left undone, everywhere; and what ends a process at once, in the product.
    static func bannedWords(_ file: TextFile) -> [String] {
        // Put together here, so that this file holds none of them.
        let unfinished = ["TO" + "DO", "FIX" + "ME", "HA" + "CK"]
        let deadly = ["fatal" + "Error(", "try" + "!", "as" + "!", "-O" + "unchecked"]
        let words = file.isProduct ? unfinished + deadly : unfinished
        return findings(in: file) { line in words.first(where: line.contains).map { "says \($0)" } }
    }

    /// A character holds the combining marks behind it, so these miss a slash or quote that one follows.
    static func charactersOfPaths(_ file: TextFile) -> [String] {
        guard file.isProduct, file.isSwift, !file.path.hasSuffix("/PathText.swift") else { return [] }
        return findings(in: file) { line in
            // Most lines need no expression to be matched, which takes long.
            guard line.contains("\"/\"") || line.contains("\"'\"") else { return nil }
            let call =
                #/(contains|hasPrefix|split|firstIndex|lastIndex|replacing)\((separator: |of: )?"[\/']"/#
            let isCompared =
                line.contains(call) || line.contains(#/\$0 [!=]= "\/"/#)
                || line.contains(#/hasPrefix\(.* \+ "\/"\)/#)
            return isCompared ? "compares characters of a path: see PathText" : nil
        }
    }

    /// `value!` traps where the value is nil; a mounted process answers an error.
    static func forcedUnwraps(_ file: TextFile) -> [String] {
        guard file.isProduct, file.isSwift else { return [] }
        return findings(in: file) { line in
            // Most lines need no expression to be matched, which takes long.
            guard line.utf8.contains(UInt8(ascii: "!")) else { return nil }
            return withoutCommentsAndStrings(line).contains(#/[A-Za-z0-9_)\]]!(?!=)/#) ? "forced unwrap" : nil
        }
    }

    /// What the compiler takes on trust has its proof in a comment above.
    static func unprovenTrust(_ file: TextFile) -> [String] {
        guard file.isProduct, file.isSwift else { return [] }
        let trusted = ["@unchecked " + "Sendable", "nonisolated(" + "unsafe)"]
        return file.lines.indices.compactMap { index in
            guard trusted.contains(where: file.lines[index].contains) else { return nil }
            let code = withoutCommentsAndStrings(file.lines[index])
            guard let word = trusted.first(where: code.contains) else { return nil }
            // Attributes may stand between the comment and the declaration.
            let above = file.lines[..<index].last { !$0.drop(while: { $0 == " " }).hasPrefix("@") }
            let isProven = above?.drop { $0 == " " }.hasPrefix("//") ?? false
            return isProven ? nil : "\(file.path):\(index + 1): \(word) without its proof above"
        }
    }

    /// Foundation takes the first page of a file that the kernel makes up for whole: of a table of mounts the
    /// first 4 KB.
    static func truncatedReads(_ file: TextFile) -> [String] {
        let calls = ["contents(" + "atPath:", "contents" + "OfFile:", "contents" + "Of:"]
        return findings(in: file) { line in
            guard line.contains("\"/proc/") || line.contains("\"/sys/") else { return nil }
            return calls.contains(where: line.contains) ? "reads the first page of a kernel's file" : nil
        }
    }

    /// A dependency is a debt: the manifest says what it is for, on the line above.
    static func unexplainedDependencies(_ manifest: TextFile) -> [String] {
        let dependencies = [".package(", ".systemLibrary("]
        return manifest.lines.indices.compactMap { index in
            let line = manifest.lines[index].drop { $0 == " " }
            guard dependencies.contains(where: line.hasPrefix) else { return nil }
            let isExplained = index > 0 && manifest.lines[index - 1].drop { $0 == " " }.hasPrefix("//")
            return isExplained ? nil : "\(manifest.path):\(index + 1): says not what it is for"
        }
    }

    private static func findings(in file: TextFile, _ rule: (String) -> String?) -> [String] {
        file.lines.enumerated().compactMap { index, line in
            rule(line).map { "\(file.path):\(index + 1): \($0)" }
        }
    }

    private static func declaresFunction(_ line: String) -> Bool {
        ["func", "init", "subscript"].contains(where: line.contains)
            && line.contains(#/^ *([@A-Za-z()_.]+ )*(func [^ ]|init[?(<]|deinit |subscript[(<])/#)
    }

    /// Whether the declaration that these lines begin with opens a brace at its end, which a protocol's
    /// requirement does not.
    private static func hasBody(_ lines: ArraySlice<String>) -> Bool {
        var openParentheses = 0
        for line in lines {
            openParentheses += line.count { $0 == "(" } - line.count { $0 == ")" }
            if openParentheses <= 0 { return line.hasSuffix("{") }
        }
        return false
    }

    private static func withoutCommentsAndStrings(_ line: String) -> String {
        line.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"").replacing(#/\/\/.*/#, with: "")
    }
}
