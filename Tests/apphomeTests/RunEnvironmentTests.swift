import Foundation
import Testing

/// Where programs that follow their system's rules find their directories when they run as an app.
@Suite(.serialized) struct RunEnvironmentTests {
    /// How .NET on Linux answers Environment.GetFolderPath, and xdg-user-dir its question.
    private static let script = """
        import os, re, tempfile
        home = os.environ["HOME"]
        def user_directory(name):
            config = os.environ.get("XDG_CONFIG_HOME") or home + "/.config"
            try:
                text = open(config + "/user-dirs.dirs").read()
            except OSError:
                text = ""
            found = re.search(name + '="(.*)"', text)
            return found[1].replace("$HOME", home) if found else home + "/Documents"
        def rest(path):
            assert path.startswith(home), path
            return path[len(home):]
        print(rest(user_directory("XDG_DOCUMENTS_DIR")))
        print(rest(os.environ.get("XDG_DATA_HOME") or home + "/.local/share"))
        config = os.environ.get("XDG_CONFIG_HOME") or home + "/.config"
        print(rest(config) if config.startswith(home) else "outside")
        assert os.path.isdir(config)
        print(rest(os.environ["XDG_CACHE_HOME"]))
        print(rest(tempfile.gettempdir()))
        """

    @Test(arguments: [
        ("dotnet", ["/Documents", "/Documents", "/Documents/.config", "/Library/Caches", "/tmp"]),
        (
            "flutter",
            ["/Documents", "/Library/Application Support", "outside", "/Library/Caches", "/Library/Caches"]
        ),
    ]) func aProgramOfAnotherKindFindsThemToo(_ kind: String, _ expected: [String]) throws {
        let place = try RunPlace()
        let outcome = try place.work.run(
            "run", "recipes", "--for", kind, "--", "/usr/bin/python3", "-c", Self.script)
        #expect(outcome.output.split(separator: "\n").map(String.init) == expected, "\(outcome)")
    }

    /// The program that path_provider asks, in the sandbox and with what `env` prints.
    @Test func xdgUserDirAnswersWithDocuments() throws {
        let place = try RunPlace()
        let question = ["--", "xdg-user-dir", "DOCUMENTS"]
        let inside = try apphome(["run", "recipes", "--for", "flutter"] + question, in: place.work.device)
        let container = (place.container as NSString).lastPathComponent
        let home = "/private/var/mobile/Containers/Data/Application/" + container
        #expect(inside.output == home + "/Documents\n", "\(inside)")
        let mounted = try place.mountPoint()
        try place.mount(mounted)
        let printed = try place.work.run("env", "recipes", "--for", "flutter", "--json")
        let shell = Foundation.Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/xdg-user-dir")
        shell.arguments = ["DOCUMENTS"]
        shell.environment = try JSONDecoder().decode([String: String].self, from: printed.outputBytes)
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        #expect(try output.fileHandleForReading.readToEnd() == Data("\(mounted)/Documents\n".utf8))
        shell.waitUntilExit()
    }

    @Test func envPrintsLinesForAShell() throws {
        let place = try RunPlace()
        let unmounted = try place.work.run("env", "recipes")
        #expect(
            unmounted.status == 1 && unmounted.errors.contains("apphome mount Recipes DIR"), "\(unmounted)")
        let home = place.work.path + "/it's-home"
        try place.mount(home)
        let lines = try place.work.run("env", "recipes", "--for", "flutter").output
        let shell = Foundation.Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c",
            lines
                + "ls \"$HOME\" \"$APPHOME_BUNDLE\"; . \"$XDG_CONFIG_HOME/user-dirs.dirs\";"
                + "echo $XDG_DOCUMENTS_DIR",
        ]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(text.contains("Recipes.app:\nInfo.plist\nRecipes.plist\n"), "\(text)")
        #expect(text.hasSuffix("\(home)/Documents\n"), "\(text)")
        let json = try place.work.run("env", "recipes", home, "--json")
        let values = try JSONDecoder().decode([String: String].self, from: Data(json.output.utf8))
        #expect(values["HOME"] == home && values["TMPDIR"] == home + "/tmp")
    }

    @Test func theContainersLayoutKeepsTheBundleApart() throws {
        let place = try RunPlace()
        let home = place.work.path + "/home"
        let bundle = place.work.path + "/bundle"
        try place.mount(home, "--layout", "containers", "--bundle", bundle)
        let files = FileManager.default
        #expect(try files.contentsOfDirectory(atPath: home).sorted() == ["Documents", "Library", "tmp"])
        #expect(!files.fileExists(atPath: home + "/Recipes.app"))
        #expect(try files.contentsOfDirectory(atPath: bundle).sorted() == ["Info.plist", "Recipes.plist"])
        #expect(open(bundle + "/x", O_CREAT | O_WRONLY, 0o600) < 0 && errno == EPERM)
        #expect(open(bundle + "/Info.plist", O_WRONLY) < 0 && errno == EPERM)
        #expect(try place.work.run("run", "recipes", "--", "cat", "Recipes.plist").output == "<recipes/>\n")
        #expect(try place.work.run("env", "recipes").output.contains("APPHOME_BUNDLE=\(bundle)\n"))
        #expect(mounts(below: place.work.path) == [home, bundle])
        #expect(try place.work.run("mount", "Other", place.work.path + "/o", "--bundle", bundle).status == 64)
    }
}
