import Foundation
import Testing

@testable import Wire

@Suite struct TimestampTests {
    /// A file may have any time that its file system takes.
    @Test(arguments: [0, 1.5, -1, 1_800_000_000.123, 9e15, -9e15, .infinity, .nan])
    func everyTimeComesOutAsItWentIn(_ seconds: Double) throws {
        let time = Timestamp(seconds: seconds)
        let read = try JSONDecoder().decode(Timestamp.self, from: JSONEncoder().encode(time))
        #expect(abs(read.seconds - time.seconds) < 0.002, "\(seconds)")
    }
}
