internal import Glibc
internal import Posix
internal import SystemPackage

/// Processes of this program that work side by side, each on its part, and say what they find.
enum Workers {
    /// Where a worker says what it found, one thing a line; of the seed it begins `@`, for the case that it
    /// dies.
    static let reportDescriptor: Int32 = 3

    /// Runs this program once more for each of `jobs` parts.
    /// - Parameter met: gets what all of them met.
    /// - Returns: what was found, which is printed as it comes, and a line for each worker that died.
    static func run(jobs: Int, _ arguments: [String], met: Met = Met()) -> [String] {
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
        return listen(to: started, met)
    }

    /// Prints what workers say as they say it.
    private static func listen(to started: [(Child, Int32)], _ met: Met) -> [String] {
        var found: [String] = []
        var lasts = started.map { _ in "nothing" }
        var rests = started.map { _ in [UInt8]() }
        var polled = started.map { pollfd(fd: $0.1, events: Int16(POLLIN), revents: 0) }
        while polled.contains(where: { $0.fd >= 0 }) {
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 else { break }
            for index in polled.indices where polled[index].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = read(polled[index].fd, &buffer, buffer.count)
                if count <= 0 {
                    close(polled[index].fd)
                    polled[index].fd = -1
                    continue
                }
                rests[index] += buffer.prefix(count)
                for line in takeLines(&rests[index]) {
                    if line.hasPrefix("@") {
                        lasts[index] = line
                    } else if let counted = Counted(line) {
                        met.add([counted.name: counted.count])
                    } else {
                        print(line)
                        fflush(nil)
                        found.append(line)
                    }
                }
            }
        }
        for (index, worker) in started.enumerated() {
            let status = (try? worker.0.wait()) ?? -1
            if status > 1 { found.append("died with \(status) at \(lasts[index])") }
        }
        return found
    }

    /// The whole lines among these bytes.
    private static func takeLines(_ bytes: inout [UInt8]) -> [String] {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeSubrange(...end)
        return text.split(separator: "\n").map(String.init)
    }

    /// How often a worker met something: `#12 snapshots`.
    private struct Counted {
        var name: String
        var count: Int

        init?(_ line: String) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard line.hasPrefix("#"), parts.count == 2, let count = Int(parts[0].dropFirst()) else {
                return nil
            }
            (self.count, name) = (count, String(parts[1]))
        }
    }

    static func say(_ met: Met) {
        for line in met.lines { say("#" + line) }
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
}
