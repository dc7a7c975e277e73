import Foundation
import StoreBasics
import Testing

@testable import CloudStore

@Suite struct CivilTimeTests {
    @Test func `Moments are written and read as Foundation does`() throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        for seconds in stride(from: Int64(-5_000_000_000), to: 10_000_000_000, by: 12_345_677) {
            let date = Date(timeIntervalSince1970: Double(seconds))
            format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
            #expect(CivilTime.signatureText(StoreTime(seconds: seconds)) == format.string(from: date))
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            #expect(CivilTime.httpDate(format.string(from: date))?.seconds == seconds)
            format.dateFormat = "yyyy-MM-dd'T'HH:mm:ss'.123Z'"
            #expect(CivilTime.iso8601(format.string(from: date))?.seconds == seconds)
        }
    }

    @Test(arguments: [
        "", "GMT", "Sat, 21 Nov 2026", "Sat, 21 Nov 2026 17:09:12", "Sat, 21 Nov 2026 17:09:12 PST",
        "Sat, 21 Xyz 2026 17:09:12 GMT", "Sat, 00 Nov 2026 17:09:12 GMT", "Sat, 21 Nov 2026 25:09:12 GMT",
        "Sat, 21 Nov 99999999999999999999 17:09:12 GMT", "Sat, 21 Nov 2026 17:-9:12 GMT",
        "2026-11-21T17:09:12", "2026-13-21T17:09:12Z", "2026-11-21T17:09Z", "T", "2026-11-21T::Z",
    ])
    func `What is no date is none`(text: String) {
        #expect(CivilTime.httpDate(text) == nil)
        #expect(CivilTime.iso8601(text) == nil)
    }
}
