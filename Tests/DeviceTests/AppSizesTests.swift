import Foundation
import Testing

@testable import Device

@Suite struct AppSizesTests {
    @Test func everyAreaCountsItsOwnFilesOnce() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/data", [UInt8](repeating: 0, count: 5000))
        let device = try scratch.device()
        let app = try scratch.install(on: device).app
        let sizes = [
            "Documents/a": 1, "Documents/d/b": 20, "Library/Caches/c": 300, "Library/Preferences/p": 4000,
        ]
        for (name, count) in sizes.merging(["Library/l": 50_000, "tmp/t": 600_000], uniquingKeysWith: { $1 })
        {
            try scratch.write(scratch.home(app, name), [UInt8](repeating: 0, count: count))
        }
        try FileManager.default.linkItem(
            atPath: scratch.file(scratch.home(app, "Documents/a")),
            toPath: scratch.file(scratch.home(app, "Documents/again")))
        let found = try device.sizes(of: app)
        #expect(found.documents == 21)
        #expect(found.caches == 300)
        #expect(found.preferences == 4000)
        #expect(found.library == 50_000)
        #expect(found.temporary == 600_000)
        #expect(found.bundle > 5000 && found.bundle < 6000)
        #expect(found.values.map(\.area).contains("Library/Caches"))
    }
}
