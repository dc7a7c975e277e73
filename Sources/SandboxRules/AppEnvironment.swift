/// The variables that a program finds when it runs as an app (SPEC 13): where its system would have told it
/// to keep things.
public struct AppEnvironment: Sendable, Equatable {
    /// What the program is made with: each finds its directories in its own way.
    public enum Kind: String, Sendable, CaseIterable {
        case foundation
        /// .NET 8 and later.
        case dotnet
        /// Mono, and .NET before 8: their MyDocuments is `$HOME`.
        case mono
        case gnustep, flutter

        /// A directory of the home that must be there: on Linux .NET answers "" for one that is missing, on
        /// iOS its path.
        public var neededDirectory: String? {
            self == .dotnet || self == .mono ? "Documents/.config" : nil
        }
    }

    /// The home's directory, as the program sees it.
    public var home: String
    /// `Name.app`, as the program sees it.
    public var bundle: String
    public var kind: Kind
    /// The directory with what the kind's programs read of their settings (`ProgramSettings`). It lies
    /// outside the home: on a device there is no such file.
    public var configuration: String
    /// The socket by which programs use AppHome as the app, as they see it; nil: there is none.
    public var socket: String?

    /// The variable with that.
    public static let socketName = "APPHOME_APP_SOCKET"

    public init(
        home: String, bundle: String, kind: Kind = .foundation, configuration: String, socket: String? = nil
    ) {
        self.home = home
        self.bundle = bundle
        self.kind = kind
        self.configuration = configuration
        self.socket = socket
    }

    /// Names and values, in the order in which they are shown.
    public var variables: [(name: String, value: String)] {
        let (library, documents) = (home + "/Library", home + "/Documents")
        let (data, settings) =
            switch kind {
            case .foundation, .gnustep: (library + "/Application Support", library + "/Preferences")
            // What .NET answers on iOS, where ApplicationData lies in Documents.
            case .dotnet, .mono: (documents, documents + "/.config")
            case .flutter: (library + "/Application Support", configuration)
            }
        return [
            ("HOME", kind == .mono ? documents : home), ("CFFIXED_USER_HOME", home),
            // path_provider's temporary directory is Caches on iOS.
            ("TMPDIR", kind == .flutter ? library + "/Caches" : home + "/tmp"),
            ("APPHOME_BUNDLE", bundle), ("XDG_CACHE_HOME", library + "/Caches"), ("XDG_DATA_HOME", data),
            ("XDG_CONFIG_HOME", settings),
        ] + (socket.map { [(Self.socketName, $0)] } ?? []) + ownVariables
    }

    private var ownVariables: [(name: String, value: String)] {
        switch kind {
        case .foundation, .flutter: return []
        case .dotnet, .mono:
            let documents = home + "/Documents"
            let folders = ["Desktop", "Music", "Pictures", "Videos", "Templates"]
            return [("XDG_DOCUMENTS_DIR", documents)]
                + folders.map { ("XDG_\($0.uppercased())_DIR", "\(documents)/\($0)") }
        case .gnustep:
            return [
                ("GNUSTEP_CONFIG_FILE", "\(configuration)/\(ProgramSettings.gnustepName)"),
                // It does not ask for TMPDIR.
                ("TEMP", home + "/tmp"), ("TMP", home + "/tmp"),
            ]
        }
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
