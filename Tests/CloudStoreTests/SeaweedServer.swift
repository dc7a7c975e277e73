import Foundation
import TestKit

@testable import CloudStore

/// A real S3 server, as the store sees it.
struct SeaweedServer: Sendable {
    let process: SeaweedProcess
    let location: S3Location
    let credentials: S3Credentials
    var processID: Int32 { process.processID }

    /// The one that the tests share, each under a prefix of its own.
    static let shared = Result { try SeaweedServer(try SeaweedProcess.shared.get()) }

    init(folder: String) throws { try self.init(SeaweedProcess(folder: folder)) }

    private init(_ process: SeaweedProcess) throws {
        guard case .s3(let location) = try StoreURL(process.url) else {
            throw CocoaError(.featureUnsupported)
        }
        self.process = process
        self.location = location
        credentials = S3Credentials(accessKey: process.accessKey, secretKey: process.secretKey)
    }

    func stop() throws { try process.stop() }

    /// A store of its own in the server.
    func store(
        credentials: S3Credentials? = nil, bucket: String? = nil, prefix: String = "",
        network: NetworkSettings = NetworkSettings()
    ) throws -> S3Store {
        let place = try S3Location(
            bucket: bucket ?? location.bucket, prefix: prefix, endpoint: location.endpoint)
        return S3Store(place, credentials: credentials ?? self.credentials, network: network)
    }
}
