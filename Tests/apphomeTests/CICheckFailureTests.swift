import Foundation
import Testing

/// Where `apphome ci-check` cannot run anything: 125, and what to do.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CICheckFailureTests {
    private static let command = ["apphome", "ci-check", "--from-plist", "Info.plist", "--bind", "."]

    @Test func withoutUserNamespacesTheRemedyIsNamed() throws {
        let place = try CheckPlace(tests: "touch build/ran\n")
        // Without the rights in the new namespace, which bubblewrap would be astonished at.
        let script =
            "echo 0 > /proc/sys/user/max_user_namespaces"
            + " && exec setpriv --ambient-caps=-all --inh-caps=-all -- \"$@\""
        let refused = try place.start(
            Self.command + ["--", "./run-tests"],
            before: ["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", script, "sh"]
        ).wait()
        #expect(refused.status == 125, "\(refused)")
        #expect(refused.errors.contains("bubblewrap may make no namespace here"), "\(refused)")
        #expect(refused.errors.contains("allow-run") && refused.errors.contains("--cap-add SYS_ADMIN"))
        #expect(!refused.errors.contains("--unconfined"), "\(refused)")
        #expect(refused.errors.split(separator: "\n").count == 1 && place.leftovers == [])
    }

    @Test(.enabled(if: geteuid() == 0)) func withoutFUSETheRemedyIsNamed() throws {
        let place = try CheckPlace()
        let nodes = """
            mount -t tmpfs none /dev && mknod -m 666 /dev/tty c 5 0
            for node in null:3 zero:5 full:7 random:8 urandom:9; do
                mknod -m 666 /dev/${node%:*} c 1 ${node#*:}
            done; exec "$@"
            """
        let words = ["unshare", "--mount", "sh", "-c", nodes, "sh"] + RunPlace.asOwner
        let refused = try place.start(Self.command + ["--", "true"], asRoot: true, before: words).wait()
        #expect(refused.status == 125, "\(refused)")
        #expect(refused.errors.contains("no /dev/fuse") && refused.errors.contains("--device /dev/fuse"))
        #expect(place.leftovers == [])
    }

    @Test(.enabled(if: geteuid() == 0)) func rootRunsItAsTheUserWhoseCheckoutItIs() throws {
        let place = try CheckPlace()
        let script = ["--", "sh", "-c", "id -u; stat -c %u run-tests"]
        let outcome = try place.start(Self.command + script, asRoot: true).wait()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasPrefix("1000\n1000\n"), "\(outcome)")
        try #require(chown(place.checkout, 0, 0) == 0)
        let refused = try place.start(Self.command + script, asRoot: true).wait()
        #expect(refused.status == 125 && refused.output == "", "\(refused)")
        #expect(refused.errors.contains("chown -R USER ."), "\(refused)")
        #expect(place.leftovers == [])
    }
}
