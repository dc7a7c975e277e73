import Testing

@testable import SandboxRules

/// Where a program that runs as an app is told to keep things.
struct AppEnvironmentTests {
    private func variables(_ kind: AppEnvironment.Kind) -> [String: String] {
        let environment = AppEnvironment(home: "/h", bundle: "/b/N.app", kind: kind, configuration: "/c")
        return Dictionary(uniqueKeysWithValues: environment.variables.map { ($0.name, $0.value) })
    }

    @Test(arguments: AppEnvironment.Kind.allCases) func everyProgramIsTold(_ kind: AppEnvironment.Kind) {
        let told = variables(kind)
        #expect(told["HOME"] == (kind == .mono ? "/h/Documents" : "/h") && told["CFFIXED_USER_HOME"] == "/h")
        #expect(told["APPHOME_BUNDLE"] == "/b/N.app" && told["XDG_CACHE_HOME"] == "/h/Library/Caches")
    }

    @Test func foundationFindsLibrary() {
        let told = variables(.foundation)
        #expect(told["XDG_DATA_HOME"] == "/h/Library/Application Support" && told["TMPDIR"] == "/h/tmp")
        #expect(told["XDG_CONFIG_HOME"] == "/h/Library/Preferences")
    }

    @Test func dotnetFindsDocuments() {
        let told = variables(.dotnet)
        #expect(told["XDG_DATA_HOME"] == "/h/Documents" && told["TMPDIR"] == "/h/tmp")
        #expect(told["XDG_CONFIG_HOME"] == "/h/Documents/.config")
    }

    @Test func flutterFindsCachesForTemporaryFilesAndDocumentsByAFile() {
        let told = variables(.flutter)
        #expect(told["TMPDIR"] == "/h/Library/Caches" && told["XDG_CONFIG_HOME"] == "/c")
        let odd = AppEnvironment(home: "/a \"$b`\\", bundle: "/b", kind: .flutter, configuration: "/c")
        let settings = ProgramSettings(for: odd, gnustep: "")
        #expect(settings?.name == "user-dirs.dirs")
        #expect(settings?.content == "XDG_DOCUMENTS_DIR=\"/a \\\"\\$b\\`\\\\/Documents\"\n")
    }

    @Test func monoFindsDocumentsAsItsHome() {
        var told = variables(.mono)
        let (home, dotnet) = (told.removeValue(forKey: "HOME"), variables(.dotnet))
        #expect(home == "/h/Documents" && told == dotnet.filter { $0.key != "HOME" })
        #expect(told["XDG_DOCUMENTS_DIR"] == "/h/Documents" && told["XDG_MUSIC_DIR"] == "/h/Documents/Music")
    }

    @Test func gnustepFindsItsLibraryByAFileMadeOfTheSystems() {
        let environment = AppEnvironment(home: "/h", bundle: "/b", kind: .gnustep, configuration: "/c")
        #expect(variables(.gnustep)["GNUSTEP_CONFIG_FILE"] == "/c/GNUstep.conf")
        #expect(variables(.gnustep)["TEMP"] == "/h/tmp" && variables(.gnustep)["TMP"] == "/h/tmp")
        let system = "A=b\nGNUSTEP_USER_DIR_LIBRARY=GNUstep/Library\nGNUSTEP_USER_DIR_LIBRARY_X=y\n"
        let content = ProgramSettings(for: environment, gnustep: system)?.content
        let own = "GNUSTEP_USER_DIR_LIBRARY=Library\nGNUSTEP_USER_DEFAULTS_DIR=Library/Preferences\n"
        #expect(content == "A=b\nGNUSTEP_USER_DIR_LIBRARY_X=y\n\n" + own)
    }

    @Test func theUsersLineHasTheHomeAndIsAddedWhereThereIsNone() {
        let system = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann,,,:/home/ann:/bin/zsh\n"
        let user = (name: "mobile", groupID: UInt32(20))
        #expect(
            PasswordFile.content(from: system, userID: 1000, user: user, home: "/h")
                == system.replacing("/home/ann", with: "/h"))
        #expect(
            PasswordFile.content(from: system, userID: 501, user: user, home: "/h")
                == system + "mobile:x:501:20::/h:/bin/sh\n")
    }
}
