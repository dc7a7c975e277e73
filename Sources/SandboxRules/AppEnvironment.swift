/// The variables that a program finds when it runs as an app (SPEC 13): where its system would have told it
/// to keep things.
public struct AppEnvironment: Sendable, Equatable {
    /// What the program is made with: each finds its directories in its own way.
    public enum Kind: String, Sendable, CaseIterable {
        case foundation, dotnet, flutter

        /// A directory of the home that must be there: on Linux .NET answers "" for one that is missing, on
        /// iOS its path.
        public var neededDirectory: String? { self == .dotnet ? "Documents/.config" : nil }
    }

    /// The home's directory, as the program sees it.
    public var home: String
    /// `Name.app`, as the program sees it.
    public var bundle: String
    public var kind: Kind
    /// Flutter: the directory with `user-dirs.dirs`, which names Documents. It lies outside the home: on a
    /// device there is no such file.
    public var configuration: String

    public init(home: String, bundle: String, kind: Kind = .foundation, configuration: String) {
        self.home = home
        self.bundle = bundle
        self.kind = kind
        self.configuration = configuration
    }

    /// Names and values, in the order in which they are shown.
    public var variables: [(name: String, value: String)] {
        let library = home + "/Library"
        let (data, settings) =
            switch kind {
            case .foundation: (library + "/Application Support", library + "/Preferences")
            // What .NET answers on iOS, where ApplicationData lies in Documents.
            case .dotnet: (home + "/Documents", home + "/Documents/.config")
            case .flutter: (library + "/Application Support", configuration)
            }
        return [
            ("HOME", home), ("CFFIXED_USER_HOME", home),
            // path_provider's temporary directory is Caches on iOS.
            ("TMPDIR", kind == .flutter ? library + "/Caches" : home + "/tmp"),
            ("APPHOME_BUNDLE", bundle), ("XDG_CACHE_HOME", library + "/Caches"), ("XDG_DATA_HOME", data),
            ("XDG_CONFIG_HOME", settings),
        ]
    }

    /// The name of the file in `configuration`.
    public static let userDirectoriesName = "user-dirs.dirs"

    /// Its content, in the form of xdg-user-dirs, which shells read.
    public var userDirectories: String {
        var quoted = ""
        for character in home + "/Documents" {
            if "\"\\$`".contains(character) { quoted.append("\\") }
            quoted.append(character)
        }
        return "XDG_DOCUMENTS_DIR=\"\(quoted)\"\n"
    }
}

extension AppEnvironment {
    /// The folder of a device with a folder for each app, by its identifier, of what toolchains keep that run
    /// as it.
    public static let toolHomes = "ToolHomes"

    /// The app's, from the device's folder.
    public static func toolHome(of bundleID: String) -> String { "\(toolHomes)/\(bundleID)" }

    /// What toolchains are told to keep in a folder of their own: the home's top level is closed to them.
    public static func toolVariables(at folder: String) -> [(name: String, value: String)] {
        [
            ("DOTNET_CLI_HOME", folder + "/dotnet"), ("NUGET_PACKAGES", folder + "/nuget"),
            ("PUB_CACHE", folder + "/pub"), ("npm_config_cache", folder + "/npm"),
            ("PIP_CACHE_DIR", folder + "/pip"), ("GRADLE_USER_HOME", folder + "/gradle"),
            ("CARGO_HOME", folder + "/cargo"),
        ]
    }

    /// Whether a variable of the person's reaches the program without being named: the terminal, the locale,
    /// the time zone and the search path. All others may lead to the person's own things, or be secrets.
    public static func passes(_ name: String) -> Bool {
        switch name {
        case "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE":
            true
        case "LANG", "LANGUAGE", "TZ", "PATH": true
        default: name.hasPrefix("LC_")
        }
    }
}
