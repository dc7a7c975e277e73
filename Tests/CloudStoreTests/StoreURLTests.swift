import Testing

@testable import CloudStore

@Suite struct StoreURLTests {
    @Test(arguments: [
        ("none", "none"),
        ("file:///srv/cloud", "file:///srv/cloud"),
        ("file:///srv//cloud/", "file:///srv/cloud"),
        ("file:///srv/my%20cloud%3F", "file:///srv/my%20cloud%3F"),
        ("s3://bucket", "s3://bucket?region=us-east-1"),
        ("s3://my.bucket/a/B-1/?region=eu-central-1", "s3://my.bucket/a/B-1?region=eu-central-1"),
        (
            "s3://bucket/p?endpoint=http://127.0.0.1:8333&region=x",
            "s3://bucket/p?endpoint=http://127.0.0.1:8333&region=x"
        ),
        (
            "s3://bucket?endpoint=minio.example:443",
            "s3://bucket?endpoint=https://minio.example&region=us-east-1"
        ),
        (
            "s3://bucket?endpoint=https%3A%2F%2F[::1]:9000&style=host",
            "s3://bucket?endpoint=https://[::1]:9000&region=us-east-1&style=host"
        ),
    ])
    func `A URL is read, and written so that it reads the same`(text: String, printed: String) throws {
        let url = try StoreURL(text)
        #expect(url.description == printed)
        #expect(try StoreURL(url.description) == url)
    }

    @Test(arguments: [
        "", "None", "/srv/cloud", "http://bucket", "file://srv/cloud", "file:///", "file:///a/../b",
        "file:///a?b=c", "file:///a%00", "file:///a%2", "file:///%ff", "s3://", "s3://ab", "s3://Bucket",
        "s3://bu_cket", "s3://-bucket", "s3://bucket/a//b", "s3://bucket/a b", "s3://bucket/../b",
        "s3://bucket?colour=red", "s3://bucket?region=", "s3://bucket?region=a/b", "s3://bucket?style=both",
        "s3://bucket?endpoint=ftp://x", "s3://bucket?endpoint=http://u:p@x",
        "s3://bucket?endpoint=http://x:0",
        "s3://bucket?endpoint=http://x:70000", "s3://bucket?endpoint=http://x/y", "s3://bucket#x",
        "s3://bucket?region=a&region=b",
    ])
    func `A bad URL is refused with a reason in one line`(text: String) throws {
        let error = try #require(throws: StoreURLError.self) { try StoreURL(text) }
        #expect(!error.description.isEmpty && !error.description.contains("\n"))
    }

    @Test func `The bucket is in the host's name at Amazon, in the path elsewhere`() throws {
        func style(_ text: String) throws -> S3Location.Style? {
            if case .s3(let location) = try StoreURL(text) { location.style } else { nil }
        }
        #expect(try style("s3://bucket") == .host)
        #expect(try style("s3://my.bucket") == .path)
        #expect(try style("s3://bucket?style=path") == .path)
        #expect(try style("s3://bucket?endpoint=http://x") == .path)
        #expect(
            try S3Location(bucket: "abc", region: "eu-west-1").server.host == "s3.eu-west-1.amazonaws.com")
        let china = try S3Location(bucket: "abc", region: "cn-north-1").server.host
        #expect(china == "s3.cn-north-1.amazonaws.com.cn")
    }
}
