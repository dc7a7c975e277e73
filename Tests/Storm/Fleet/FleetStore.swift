internal import TestKit

/// Where the account of a fleet lies.
enum FleetStore: Sendable {
    case folder
    /// - Parameter port: that of a way to the server which is not its own; nil: straight to it.
    case seaweed(SeaweedProcess, port: UInt16?)

    /// As `apphome cloud account set` takes it; a place of its own for the fleet in that folder.
    func url(in folder: String) -> String {
        switch self {
        case .folder:
            return "file://" + folder + "/store"
        case .seaweed(let server, let port):
            let endpoint = port.map { "http://127.0.0.1:\($0)" } ?? server.endpoint
            let prefix = folder.split(separator: "/").last ?? ""
            return "s3://apphome/\(prefix.lowercased())?endpoint=\(endpoint)&region=us-east-1"
        }
    }

    /// The keys, for the environment of a command.
    var variables: [String] {
        guard case .seaweed(let server, _) = self else { return [] }
        return ["AWS_ACCESS_KEY_ID=" + server.accessKey, "AWS_SECRET_ACCESS_KEY=" + server.secretKey]
    }
}
