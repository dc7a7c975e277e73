internal import Glibc
internal import Posix
internal import SystemPackage

/// Processes of this program that work side by side, each on its part, and say what they find.
enum Workers {
    /// Where a worker says what it found, one thing a line; of the seed it begins `@`, for the case that it dies.
    static let reportDescriptor: Int32 = 3

    /// Runs this program once more for each of `jobs` parts.
    /// - Returns: what was found, and a line for each worker that died, in no order.
    static func run(jobs: Int, _ arguments: [String]) -> [String] {
        var started: [(Child, Int32)] = []
        for part in 0..<jobs {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { return ["no pipe: errno \(errno)"] }
            let child = try? Child(
                "/proc/self/exe", arguments: arguments + ["--part", "\(part)", "--jobs", "\(jobs)"],
                environment: environment, descriptors: [0, 1, 2, ends[1]])
            close(ends[1])
            guard let child else { return ["this program cannot be started again"] }
            started.append((child, ends[0]))
        }
        return started.flatMap { child, descriptor in
            var lines = readLines(descriptor)
            let last = lines.last { $0.hasPrefix("@") } ?? "nothing"
            lines.removeAll { $0.hasPrefix("@") }
            let status = (try? child.wait()) ?? -1
            return status <= 1 ? lines : lines + ["died with \(status) at \(last)"]
        }
    }

    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(reportDescriptor, $0.baseAddress, $0.count) }
    }

    /// The order of a set's members differs from process to process, and from set to set, unless it is asked
    /// for to be the same; a history has to be the same each time it is run.
    static let orderVariable = "SWIFT_DETERMINISTIC_HASHING"

    /// Runs this program again with the same arguments, and in it all sets in one order.
    static func runAgainInOrder() -> Int32 {
        let child = try? Child(
            "/proc/self/exe", arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
            descriptors: [0, 1, 2])
        return (try? child?.wait()) ?? 125
    }

    private static var environment: [String] {
        var found: [String] = ["\(orderVariable)=1", "SWIFT_BACKTRACE=enable=no"]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !text.hasPrefix("SWIFT_") { found.append(text) }
            next += 1
        }
        return found
    }

    private static func readLines(_ descriptor: Int32) -> [String] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        close(descriptor)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
