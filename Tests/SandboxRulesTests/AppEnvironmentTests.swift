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
        #expect(told["HOME"] == "/h" && told["CFFIXED_USER_HOME"] == "/h")
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
        #expect(odd.userDirectories == "XDG_DOCUMENTS_DIR=\"/a \\\"\\$b\\`\\\\/Documents\"\n")
    }
}
