import Testing

@testable import CloudStore

@Suite struct S3CredentialsTests {
    private static let file = """
        # made by a tool
        [default]
        aws_access_key_id = DEFAULTKEY
        aws_secret_access_key=default/secret+=
        [ work ]
        AWS_ACCESS_KEY_ID = WORKKEY
        aws_secret_access_key = worksecret
        aws_session_token = worktoken
        [half]
        aws_access_key_id = HALFKEY
        """

    @Test func `Variables count before the file, a named profile before both`() throws {
        let variables = ["AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": ""]
        let fromVariables = S3Credentials(accessKey: "K", secretKey: "S")
        let work = S3Credentials(accessKey: "WORKKEY", secretKey: "worksecret", sessionToken: "worktoken")
        let usual = S3Credentials(accessKey: "DEFAULTKEY", secretKey: "default/secret+=")
        let read = AWSConfiguration.credentials
        #expect(try read(variables, Self.file, nil) == fromVariables)
        #expect(try read(variables, nil, nil) == fromVariables)
        #expect(try read(variables, Self.file, "work") == work)
        #expect(try read(["AWS_PROFILE": "work"], Self.file, nil) == work)
        #expect(try read([:], Self.file, nil) == usual)
    }

    @Test func `Missing credentials are a reason in one line that holds no key`() {
        let cases: [([String: String], String?, String?)] = [
            (["AWS_ACCESS_KEY_ID": "K"], Self.file, nil), ([:], nil, nil), ([:], Self.file, "half"),
            ([:], Self.file, "nobody"),
            (["AWS_ACCESS_KEY_ID": "K\nx", "AWS_SECRET_ACCESS_KEY": "S"], nil, nil),
        ]
        for (environment, file, profile) in cases {
            let error = #expect(throws: S3CredentialsError.self) {
                try AWSConfiguration.credentials(environment: environment, file: file, profile: profile)
            }
            #expect(error?.description.contains("HALFKEY") == false)
        }
    }

    @Test func `No text of credentials holds a key`() {
        let credentials = S3Credentials(accessKey: "ACCESS", secretKey: "SECRET", sessionToken: "TOKEN")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped, "\([credentials])"] {
            #expect(!text.contains("SECRET") && !text.contains("ACCESS") && !text.contains("TOKEN"))
        }
    }
}
