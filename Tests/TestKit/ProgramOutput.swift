import Foundation

/// Runs a program to its end.
/// - Parameter arguments: its path first.
/// - Returns: with which status it ended, and what it wrote to its standard output.
public func output(of arguments: [String]) throws -> (status: Int32, text: String) {
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
}
