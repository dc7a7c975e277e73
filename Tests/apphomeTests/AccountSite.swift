import Foundation
import TestKit

/// A device that fills an account, and another one, `place.device`, that knows nothing of it.
struct AccountSite: ~Copyable {
    let place: Workplace
    let store: String
    var source: String { place.path + "/source" }
    /// Of the app whose home a test mounts on the first device.
    var documents: String { place.path + "/home/Documents" }
    /// Where a test has the other device show the account.
    var view: String { place.path + "/view" }

    /// In a folder.
    init() throws {
        let place = try Workplace()
        store = "file://" + place.path + "/store"
        self.place = place
    }

    /// In a bucket, whose keys both devices find where people keep them.
    init(on server: SeaweedProcess) throws {
        let place = try Workplace()
        let credentials =
            "[default]\naws_access_key_id = \(server.accessKey)\n"
            + "aws_secret_access_key = \(server.secretKey)\n"
        for home in [place.device, place.path + "/source"] {
            let folder = home + "-home/.aws"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try credentials.write(toFile: folder + "/credentials", atomically: false, encoding: .utf8)
        }
        store = server.url
        self.place = place
    }

    /// Brings all of an app of the first device into the account.
    func sync(_ app: String) throws {
        let synced = try apphome("cloud", "sync", app, "--wait", in: source)
        guard synced.status == 0 else { throw Failure(outcome: synced) }
    }

    struct Failure: Error { let outcome: Outcome }

    deinit { _ = try? apphome("unmount", "--lazy", place.path + "/home", in: source) }
}
