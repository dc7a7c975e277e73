import CLinux
import Foundation
import Posix
import SystemPackage
import Testing

@testable import CloudStore

@Suite struct NetworkSettingsTests {
    @Test func `Proxies and exemptions are those of the usual variables`() throws {
        let settings = try NetworkSettings(environment: [
            "http_proxy": "http://proxy:3128", "HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "proxy2",
            "no_proxy": "localhost, .corp.example,10.0.0.1", "SSL_CERT_FILE": "/etc/ca.pem",
        ])
        func proxy(_ endpoint: String) throws -> String? {
            settings.proxy(to: try S3Endpoint(endpoint))?.description
        }
        #expect(try proxy("http://store.example") == "http://proxy:3128")
        #expect(try proxy("https://store.example") == "http://proxy2")
        for exempt in [
            "http://localhost:9", "https://corp.example", "https://a.corp.example", "http://10.0.0.1",
        ] {
            #expect(try proxy(exempt) == nil, "\(exempt)")
        }
        #expect(try proxy("http://notcorp.example") != nil)
        #expect(settings.certificatesPath == "/etc/ca.pem")
        #expect(try NetworkSettings(environment: ["HTTP_PROXY": "http://evil:1"]).httpProxy == nil)
        #expect(throws: StoreURLError.self) { try NetworkSettings(environment: ["http_proxy": "socks5://x"]) }
        let secret = try ProxyAddress("http://user:pa%3Ass@proxy:1")
        #expect(secret.password == "pa:ss" && secret.description == "http://proxy:1")
    }

    /// `openssl s_server -www` answers a page without a date: who gets that far has trusted it.
    @Test func `Only certificates of the file that is given are trusted`() async throws {
        let folder = try ScratchFolder()
        let port = try { try FakeServer { _ in .close }.port }()
        let make =
            "cd '\(folder.path)' && exec >log 2>&1 && openssl req -x509 -newkey rsa:2048 -nodes -days 2 "
            + "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key "
            + "-out cert && "
            + "{ openssl s_server -accept 127.0.0.1:\(port) -key key -cert cert -www & "
            + "read -r; kill $!; wait; }"
        var ends: (Int32, Int32) = (-1, -1)
        _ = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { lx_pipe($0) }
        }
        let child = try Child(
            "/bin/bash", arguments: ["-c", make], environment: ["PATH=/usr/bin:/bin"],
            descriptors: [ends.0, 1, 2])
        _ = lx_close(ends.0)
        func error(_ host: String, _ certificates: String?) async throws -> StoreError? {
            let location = try S3Location(
                bucket: "bucket", endpoint: try S3Endpoint("https://\(host):\(port)"))
            let store = S3Store(
                location, credentials: S3Credentials(accessKey: "A", secretKey: "S"),
                network: NetworkSettings(certificatesPath: certificates))
            return await storeError { try await store.get(try key("a")) }
        }
        do {
            try await waitUntil(seconds: 30) {
                try await error("localhost", folder.path + "/cert")?.kind != "unreachable"
            }
            #expect(try await error("localhost", folder.path + "/cert")?.kind == "invalidAnswer")
            #expect(try await error("127.0.0.1", folder.path + "/cert")?.kind == "invalidAnswer")
            #expect(try await error("localhost", nil)?.kind == "unreachable")
            #expect(try await error("localhost", folder.path + "/none")?.kind == "unreachable")
        } catch {
            Issue.record(
                "\(error): \((try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "")")
        }
        _ = lx_close(ends.1)
        _ = try child.wait()
    }
}
