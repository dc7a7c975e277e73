/// The file from which programs of a kind learn their directories, where variables do not say them all.
public struct ProgramSettings: Sendable, Equatable {
    /// In the environment's `configuration`.
    public let name: String
    public let content: String

    static let gnustepName = "GNUstep.conf"
    /// What GNUstep reads where no variable names another; empty where it is not installed.
    public static let gnustepSystemFile = "/etc/GNUstep/GNUstep.conf"

    /// - Parameter gnustep: the content of `gnustepSystemFile`.
    /// - Returns: nil for a kind that reads none.
    public init?(for environment: AppEnvironment, gnustep: @autoclosure () -> String) {
        switch environment.kind {
        case .foundation, .dotnet, .mono: return nil
        case .flutter: (name, content) = ("user-dirs.dirs", Self.userDirectories(of: environment.home))
        case .gnustep: (name, content) = (Self.gnustepName, Self.gnustepConfiguration(from: gnustep()))
        }
    }

    /// In the form of xdg-user-dirs, which shells read.
    private static func userDirectories(of home: String) -> String {
        var quoted = ""
        for character in home + "/Documents" {
            if "\"\\$`".contains(character) { quoted.append("\\") }
            quoted.append(character)
        }
        return "XDG_DOCUMENTS_DIR=\"\(quoted)\"\n"
    }

    /// The system's, with a person's own library and defaults where iOS has an app's.
    private static func gnustepConfiguration(from system: String) -> String {
        let own = [
            ("GNUSTEP_USER_DIR_LIBRARY", "Library"), ("GNUSTEP_USER_DEFAULTS_DIR", "Library/Preferences"),
        ]
        let kept = system.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !own.contains { line.hasPrefix($0.0 + "=") }
        }
        return kept.joined(separator: "\n") + "\n" + own.map { "\($0.0)=\($0.1)\n" }.joined()
    }
}

/// The system's list of users, with the app's home as a user's: what `~` means, and what GNUstep, Python and
/// Node believe before or after `$HOME`.
public enum PasswordFile {
    /// - Parameters:
    ///   - system: the content of /etc/passwd.
    ///   - user: as getpwuid(3) has him, for one who is not in it; nil where nobody knows him.
    public static func content(
        from system: String, userID: UInt32, user: (name: String, groupID: UInt32), home: String
    ) -> String {
        var isFound = false
        let lines = system.split(separator: "\n").map { line -> String in
            var fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 7, fields[2] == String(userID) else { return String(line) }
            isFound = true
            fields[5] = home
            return fields.joined(separator: ":")
        }
        let own = "\(user.name):x:\(userID):\(user.groupID)::\(home):/bin/sh"
        return (lines + (isFound ? [] : [own])).map { $0 + "\n" }.joined()
    }
}
