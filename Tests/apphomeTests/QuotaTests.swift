import Foundation
import TestKit
import Testing

/// The account's quota, as a person meets it.
@Suite(.serialized) struct QuotaTests {
    @Test func theWayOutIsSaidAndAHigherQuotaCountsAtOnce() throws {
        let devices = try TwoDevices()
        let first = devices.first
        #expect(try apphome("device", "set", "quota", "1000", in: first).status == 0)
        try devices.mountBoth()
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: first).status == 0)
        try Data(repeating: 1, count: 5000).write(to: URL(filePath: devices.here + "/large"))
        #expect(
            try eventually {
                try apphome("cloud", "status", in: first).output.contains("apphome device set quota BYTES")
            })
        #expect(try apphome("device", "set", "quota", "1G", in: first).status == 0)
        let there = devices.there
        #expect(eventually { FileManager.default.contents(atPath: there + "/large")?.count == 5000 })
        let status = try apphome("cloud", "status", "--check", in: first)
        #expect(status.status == 0, "\(status)")
    }
}
