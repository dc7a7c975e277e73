internal import Foundation

/// What guides to files on iOS begin with, in Swift: the folders, then reading and writing in each.
/// Prints `NAME PATH` for a folder and `STEP OUTCOME` for a step; with the arguments of `Pains`, that
/// outcome.
@main struct Guide {
    struct Note: Codable {
        var title = "a"
        var count = 7
    }

    static let files = FileManager.default
    static let home = URL(filePath: NSHomeDirectory())

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count < 3 else {
            return step(arguments[1]) { try Pains(isRight: arguments[2] == "twin").run(arguments[1]) }
        }
        let folders: [(String, FileManager.SearchPathDirectory)] = [
            ("documentDirectory", .documentDirectory), ("libraryDirectory", .libraryDirectory),
            ("cachesDirectory", .cachesDirectory),
            ("applicationSupportDirectory", .applicationSupportDirectory),
        ]
        for (name, folder) in folders {
            print(name, files.urls(for: folder, in: .userDomainMask).first?.path ?? "")
        }
        print("homeDirectory", NSHomeDirectory())
        print("temporaryDirectory", NSTemporaryDirectory())
        print("bundlePath", Bundle.main.bundlePath)
        print("current", files.currentDirectoryPath)
        takeSteps()
    }

    static func takeSteps() {
        let documents = files.urls(for: .documentDirectory, in: .userDomainMask)[0]
        let library = documents.appending(path: "../Library")
        step("bundle") { try text(URL(filePath: "./Recipes.plist")) }
        step("bundleResource") { try text(Bundle.main.url(forResource: "Recipes", withExtension: "plist")!) }
        step("documents") { try writeAndRead(documents.appending(path: "Write.txt")) }
        step("library") { try writeAndRead(library.appending(path: "Write.txt")) }
        step("caches") { try writeAndRead(library.appending(path: "Caches/Write.txt")) }
        step("tmp") { try writeAndRead(files.temporaryDirectory.appending(path: "Write.txt")) }
        step("temporaryFile") {
            let replaced = documents.appending(path: "Write.txt")
            let folder = try files.url(
                for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: replaced, create: true)
            return try writeAndRead(folder.appending(path: "Write.txt"))
        }
        takeStepsOfSerializers(documents, library)
        takeStepsThatAreRefused(documents)
    }

    static func takeStepsOfSerializers(_ documents: URL, _ library: URL) {
        step("json") {
            let file = documents.appending(path: "note.json")
            try JSONEncoder().encode(Note()).write(to: file, options: .atomic)
            return "\(try JSONDecoder().decode(Note.self, from: Data(contentsOf: file)).count)"
        }
        step("propertyList") {
            let file = library.appending(path: "note.plist")
            try PropertyListEncoder().encode(Note()).write(to: file, options: .atomic)
            return "\(try PropertyListDecoder().decode(Note.self, from: Data(contentsOf: file)).count)"
        }
        step("archiver") {
            let file = documents.appending(path: "archive")
            let list: NSArray = ["kept" as NSString]
            try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true).write(
                to: file)
            let read = try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [NSArray.self, NSString.self], from: Data(contentsOf: file))
            return (read as? [String])?.first ?? ""
        }
        step("defaults") {
            let starts = UserDefaults.standard.integer(forKey: "starts") + 1
            UserDefaults.standard.set(starts, forKey: "starts")
            return UserDefaults.standard.synchronize() ? "\(starts)" : "not saved"
        }
    }

    static func takeStepsThatAreRefused(_ documents: URL) {
        step("missing") { try text(documents.appending(path: "missing")) }
        step("writeInBundle") { try writeAndRead(Bundle.main.bundleURL.appending(path: "new.txt")) }
        step("deleteInBundle") {
            try files.removeItem(atPath: "./Recipes.plist")
            return "deleted"
        }
        step("writeAtTopLevel") { try writeAndRead(home.appending(path: "new.txt")) }
        step("directoryAtTopLevel") {
            try files.createDirectory(at: home.appending(path: "Made"), withIntermediateDirectories: false)
            return "made"
        }
    }

    static func writeAndRead(_ file: URL) throws -> String {
        try "some text".write(to: file, atomically: true, encoding: .utf8)
        return try text(file)
    }

    static func text(_ file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func step(_ name: String, _ action: () throws -> String) {
        do { print(name, try action()) } catch let error as NSError { print(name, error.domain, error.code) }
    }
}
