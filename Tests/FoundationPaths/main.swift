internal import Foundation

// Says where Foundation finds an app's directories: run as an app, they are where iOS has them.
let directories: [(String, FileManager.SearchPathDirectory)] = [
    ("documents", .documentDirectory), ("caches", .cachesDirectory),
    ("support", .applicationSupportDirectory), ("library", .libraryDirectory),
]
for (name, directory) in directories {
    print(name, FileManager.default.urls(for: directory, in: .userDomainMask).first?.path ?? "none")
}
print("temporary", NSTemporaryDirectory())
print("home", NSHomeDirectory())
print("bundle", Bundle.main.bundlePath)
