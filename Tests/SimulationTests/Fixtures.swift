internal import Foundation

/// The program under test, which lies beside the test bundle.
struct Simulate {
    let status: Int32
    let output: String

    /// Runs it to its end and takes what it prints.
    init(_ arguments: String...) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        status = process.terminationStatus
        output = String(decoding: data, as: UTF8.self)
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    private static var path: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("simulate").path
    }
}
