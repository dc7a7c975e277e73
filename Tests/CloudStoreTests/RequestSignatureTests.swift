import Posix
import StoreBasics
import Testing

@testable import CloudStore

/// The examples of Amazon's "Signature Calculations for the Authorization Header".
@Suite struct RequestSignatureTests {
    private static let signature = RequestSignature(
        credentials: S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1")
    private static let host = (name: "host", value: "examplebucket.s3.amazonaws.com")

    struct Example: Sendable {
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        let signature: String
    }

    static let examples = [
        Example(
            path: "/test.txt", headers: [("range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            method: "PUT", path: "/test%24file.text",
            headers: [
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"), ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            query: [("prefix", "J"), ("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples) func `Requests are signed as Amazon's examples`(example: Example) {
        let headers = Self.signature.sign(
            RequestSignature.Request(
                method: example.method, path: example.path, query: example.query,
                headers: example.headers + [Self.host]),
            bodyHash: Hex.text(Digests.sha256(Array(example.body.utf8))),
            // 2013-05-24T00:00:00Z
            at: StoreTime(seconds: 1_369_353_600))
        let authorization = headers.first { $0.name == "authorization" }?.value
        #expect(authorization?.hasSuffix("Signature=" + example.signature) == true)
    }

    @Test func `A session's token is sent and signed`() {
        let credentials = S3Credentials(accessKey: "A", secretKey: "S", sessionToken: "T")
        let headers = RequestSignature(credentials: credentials, region: "r").sign(
            RequestSignature.Request(method: "GET", path: "/", query: [], headers: [Self.host]),
            bodyHash: "", at: StoreTime(seconds: 0))
        #expect(headers.contains { $0 == ("x-amz-security-token", "T") })
        let authorization = headers.first { $0.name == "authorization" }?.value ?? ""
        #expect(authorization.contains("x-amz-date;x-amz-security-token,"))
    }
}
