import Testing

@testable import Doctor

@Suite struct GlobTests {
    @Test(arguments: [
        ("Documents/*.tmp", ["Documents/a.tmp", "Documents/.tmp", "Documents/a.tmp/below"]),
        ("*.tmp", ["a.tmp", "Documents/deep/er/a.tmp"]), ("tmp", ["tmp", "tmp/a", "Documents/tmp/b"]),
        ("Documents/**", ["Documents/a", "Documents/a/b"]), ("/Documents/", ["Documents", "Documents/a"]),
        ("**/b/**/c", ["b/c", "a/b/c", "a/b/x/y/c", "b/b/c"]), ("a?c", ["abc", "a\u{E9}c"]),
        ("caf\u{E9}", ["cafe\u{301}"]), ("**", ["a", "a/b"]), ("a*b*c", ["abbc", "aXbXbXc"]),
    ])
    func `A pattern fits`(pattern: String, paths: [String]) throws {
        let glob = try #require(Glob(pattern))
        #expect(paths.filter { !glob.matches($0) } == [])
    }

    @Test(arguments: [
        ("Documents/*.tmp", ["Documents/a/b.tmp", "Library/Documents/a.tmp", "documents/a.tmp"]),
        ("*.tmp", ["a.tmpx", "Documents"]), ("Documents/**", ["Documents", "Library/Documents/a"]),
        ("**/b/**/c", ["b", "a/c", "c/b"]), ("a?c", ["ac", "a/c", "abbc"]), ("a*b*c", ["abc/d".uppercased()]),
    ])
    func `A pattern does not fit`(pattern: String, paths: [String]) throws {
        let glob = try #require(Glob(pattern))
        #expect(paths.filter(glob.matches) == [])
    }

    @Test func `An empty or endless pattern is none, and many stars take no long time`() throws {
        #expect(Glob("") == nil && Glob("/") == nil && Glob(String(repeating: "a", count: 1001)) == nil)
        let stars = try #require(Glob(String(repeating: "*a", count: 400) + "b"))
        #expect(!stars.matches(String(repeating: "a", count: 2000)))
        let folders = try #require(Glob(String(repeating: "**/a/", count: 100) + "b"))
        #expect(!folders.matches(String(repeating: "a/", count: 500)))
    }
}
