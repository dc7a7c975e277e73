import Foundation
import SystemPackage
import TestKit
import Testing

/// Programs that work in what Files shows of an app, whose home is mounted beside it.
@Suite(.serialized, .filesBesideAHome) struct FilesProgramsTests {
    private let views = SharedViews.current
    private var home: String { views.documents[0] }
    private var files: String { views.documents[1] }

    @Test func gitClonesCommitsPacksAndFindsNothingBroken() throws {
        let scratch = try TemporaryFolder()
        let script = """
            set -euo pipefail
            export HOME=$1 GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
            git config --global safe.directory '*'
            git config --global user.name Tester
            git config --global user.email tester@example.com
            git config --global init.defaultBranch main
            git config --global gc.autoDetach false
            git init --quiet "$1/origin"
            cd "$1/origin"
            for index in {1..30}; do
                mkdir -p "folder-$((index % 3))"
                seq "$index" 400 >"folder-$((index % 3))/file-$index"
            done
            git add . && git commit --quiet --message one
            seq 7 500 >folder-1/file-7 && git commit --quiet --all --message two
            change() {
                git clone --quiet --no-hardlinks "$1" "$2/clone"
                cd "$2/clone"
                git mv folder-1 Moved
                echo more >>folder-2/file-2
                git commit --quiet --all --message three
                git gc --quiet --prune=now
                git fsck --full --strict --no-dangling
                git log --format='%s %T'
                git status --porcelain
                git count-objects
            }
            (change "$1/origin" "$1") >"$1/expected" 2>&1
            (change "$1/origin" "$2") >"$1/shown" 2>&1
            diff "$1/expected" "$1/shown"
            # What the home shows of it is whole and unchanged, too.
            cd "$3/clone"
            git fsck --full --strict --no-dangling
            test -z "$(git status --porcelain)"
            diff -r "$1/clone" "$3/clone" --exclude=.git
            """
        #expect(run("/bin/bash", "-c", script, "bash", scratch.path, files, home) == 0)
    }

    @Test func fioReadsBackEveryBlockThatItWroteThereAndInTheHome() throws {
        let scratch = try TemporaryFolder()
        let script = """
            set -euo pipefail
            cd "$1"
            options=(--directory="$2" --size=3m --bs=4k --ioengine=psync --verify=crc32c --verify_fatal=1
                --randseed=7 --fallocate=none --output="$1/log")
            verify() { fio "${options[@]}" "$@" </dev/null || { cat log; exit 1; }; }
            verify --name=random --rw=randrw --do_verify=1 --verify_backlog=64
            verify --name=synced --rw=randwrite --do_verify=1 --fsync=64
            # The same blocks as the home's kernel has them.
            options[0]=--directory="$3"
            verify --name=synced --rw=randwrite --verify_only
            cmp "$2/random.0.0" "$3/random.0.0"
            """
        #expect(run("/bin/bash", "-c", script, "bash", scratch.path, files, home) == 0)
    }

    @Test func rsyncCopiesInAndOutWithAttributesAndFlags() throws {
        let scratch = try TemporaryFolder()
        let script = """
            set -euo pipefail
            export LC_ALL=C
            mkdir -p "$1/tree/folder/deep" "$1/tree/closed"
            cd "$1/tree"
            for index in {1..40}; do echo "file $index" >"folder/file-$index"; done
            truncate -s 3M sparse
            echo middle | dd of=sparse bs=1 seek=2000000 conv=notrunc status=none
            printf x >$'new\\nline' && printf e >'Crêpes'
            ln -s folder/file-1 link && ln folder/file-2 folder/deep/hard
            chmod 750 closed && chmod 600 folder/file-3
            setfattr -n user.note -v kept folder/file-4
            setfattr -n user.com.apple.MobileBackup -v 0x01 folder/file-5 folder/deep
            # Within one second rsync takes times of directories for the same.
            touch -h -d '2001-02-03 04:05:06.123456789 UTC' folder/file-6 link folder/deep folder closed
            describe() {
                cd "$1"
                find . -mindepth 1 -printf '%P %y %m %U:%G %n %T@ %l\\n' | sort
                find . -type f -print0 | sort -z | xargs -0 sha256sum
                find . -print0 | sort -z | xargs -0 getfattr --no-dereference --dump --encoding=hex --
            }
            (describe "$1/tree") >"$1/expected"
            rsync -aHX "$1/tree/" "$2/tree/"
            rsync -aHX "$2/tree/" "$1/back/"
            rsync -aHX "$2/tree/" "$3/again/"
            for place in "$2/tree" "$3/tree" "$1/back" "$2/again" "$3/again"; do
                (describe "$place") >"$1/shown"
                diff "$1/expected" "$1/shown"
            done
            # Nothing differs for a second copy, whichever side it reads.
            test -z "$(rsync -aHXi --checksum "$1/tree/" "$2/tree/")"
            test -z "$(rsync -aHXi --checksum "$3/tree/" "$2/again/")"
            # One file changes in its place, another one goes.
            echo more >>folder/file-7 && rm folder/file-8
            rsync -aHX --inplace --delete "$1/tree/" "$2/tree/"
            diff -r --no-dereference "$1/tree" "$3/tree"
            """
        #expect(run("/bin/bash", "-c", script, "bash", scratch.path, files, home) == 0)
    }

    @Test func asFilesSavesADocumentSoTheHomeDoes() throws {
        var shown: [(save: Save, name: String, seen: String)] = []
        for save in Save.all {
            for directory in [home, files] {
                let name = "\(save.name) \(directory == home ? "home" : "files")"
                shown.append((save, name, try perform(save, on: name, in: directory)))
            }
        }
        // Lost is what nobody has flagged again after 2 s, in this order.
        try prepare(home + "/last")
        #expect(failure { unlink(home + "/last") } == nil)
        try write("new", to: home + "/last")
        var events: [String] = []
        #expect(
            try eventually { () throws -> Bool in
                events = try views.events()
                return events.contains("skip-backup-lost Documents/last")
            })
        for (save, name, seen) in shown {
            let losses = events.count { $0 == "skip-backup-lost Documents/\(name)" }
            #expect("\(seen), \(losses) lost" == save.outcome, "\(name)")
        }
    }

    /// - Returns: what both views show of the document then.
    private func perform(_ save: Save, on name: String, in directory: String) throws -> String {
        try prepare("\(home)/\(name)")
        // Each kernel has looked at what is to be replaced.
        for documents in views.documents { _ = try mode(of: "\(documents)/\(name)") }
        try save.perform("\(directory)/\(name)")
        let left = try names(in: home).filter { $0.hasPrefix(name) }
        #expect(left == [name])
        let seen = try views.documents.map { try describe("\($0)/\(name)") }
        #expect(Set(seen).count == 1, "\(seen)")
        return seen[0]
    }

    /// A document with a flag, another attribute and modes that no program gives a new file.
    private func prepare(_ path: String) throws {
        try write("old", to: path)
        #expect(chmod(path, 0o640) == 0)
        #expect(setAttribute("com.apple.MobileBackup", [1], of: path) == nil)
        #expect(setAttribute("user.note", [7], of: path) == nil)
    }

    private func describe(_ path: String) throws -> String {
        let isFlagged = attribute("com.apple.MobileBackup", of: path) == [1]
        let hasNote = attribute("user.note", of: path) == [7]
        let mode = String(try mode(of: path), radix: 8)
        return [try contents(of: path), mode, isFlagged ? "flagged" : "", hasNote ? "noted" : ""]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// A way in which editors save a document.
struct Save: Sendable {
    let name: String
    /// What is there after it, and how many losses of a flag were told.
    let outcome: String
    let perform: @Sendable (_ path: String) throws -> Void

    static let all = [
        Save(name: "atomic", outcome: "new 644, 1 lost") { path in
            try make(path + ".new")
            try move(path + ".new", to: path)
        },
        Save(name: "atomic with modes", outcome: "new 640, 1 lost") { path in
            try make(path + ".new")
            try call { chmod(path + ".new", 0o640) }
            try move(path + ".new", to: path)
        },
        Save(name: "atomic with attributes", outcome: "new 640 flagged noted, 0 lost") { path in
            try make(path + ".new")
            try copyAttributes(of: path, to: path + ".new")
            try move(path + ".new", to: path)
        },
        Save(name: "atomic, flagged after it", outcome: "new 644 flagged, 0 lost") { path in
            try make(path + ".new")
            try move(path + ".new", to: path)
            #expect(setAttribute("com.apple.MobileBackup", [1], of: path) == nil)
        },
        Save(name: "backup by rename", outcome: "new 644, 1 lost") { path in
            try move(path, to: path + "~")
            try make(path)
            try call { unlink(path + "~") }
        },
        Save(name: "backup by rename, with attributes", outcome: "new 640 flagged noted, 0 lost") { path in
            try move(path, to: path + "~")
            try make(path)
            try copyAttributes(of: path + "~", to: path)
            try call { unlink(path + "~") }
        },
        Save(name: "backup by link", outcome: "new 644, 1 lost") { path in
            try call { link(path, path + "~") }
            try make(path + ".new")
            try move(path + ".new", to: path)
            #expect(attribute("com.apple.MobileBackup", of: path + "~") == [1])
            try call { unlink(path + "~") }
        },
        Save(name: "backup by copy, in place", outcome: "new 640 flagged noted, 0 lost") { path in
            try write(try contents(of: path), to: path + "~")
            try write("new", to: path)
            try call { unlink(path + "~") }
        },
        Save(name: "exchanged", outcome: "new 644, 1 lost") { path in
            try make(path + ".new")
            #expect(exchange(path + ".new", path) == nil)
            #expect(attribute("com.apple.MobileBackup", of: path + ".new") == [1])
            try call { unlink(path + ".new") }
        },
    ]

    /// A new file, on the disk before it gets its name.
    private static func make(_ path: String) throws {
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o644)
        try call { file }
        defer { close(file) }
        #expect(Foundation.write(file, "new", 3) == 3)
        try call { fsync(file) }
    }

    private static func move(_ path: String, to target: String) throws { try call { rename(path, target) } }

    private static func copyAttributes(of path: String, to target: String) throws {
        for name in attributeNames(of: path) {
            let value = try #require(attribute(name, of: path))
            #expect(setAttribute(name, value, of: target) == nil)
        }
        let modes = try mode(of: path)
        try call { chmod(target, modes) }
    }

    private static func call(_ body: () -> Int32) throws {
        if let error = failure(body) { throw error }
    }
}

/// The permission bits of a file.
private func mode(of path: String) throws -> mode_t {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return mode_t(try #require(attributes[.posixPermissions] as? Int))
}

/// What the tests of a suite share.
final class SharedViews: Sendable {
    private let views: NamedViews
    @TaskLocal private static var shared: SharedViews?

    fileprivate init() throws { views = try NamedViews("device", settings: ["xattr-list": "user"]) }

    static var current: SharedViews {
        guard let shared else { preconditionFailure("the suite has the trait .filesBesideAHome") }
        return shared
    }

    var documents: [String] { views.documents }

    func events() throws -> [String] { try views.events() }

    fileprivate static func with(_ body: () async throws -> Void) async throws {
        try await $shared.withValue(SharedViews(), operation: body)
    }
}

/// Mounts an app's home and the views beside it once for a whole suite.
struct FilesBesideAHome: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws { try await SharedViews.with(function) }
}

extension Trait where Self == FilesBesideAHome {
    static var filesBesideAHome: Self { Self() }
}
