import Testing

@testable import posix_suite

@Suite("The catalogue of cases")
struct CatalogueTests {
    @Test("There are at least 300 cases for an ordinary user, and more for root")
    func thereAreEnough() {
        let forUsers = Catalogue.all.filter { !$0.needsRoot }.count
        #expect(forUsers >= 300)
        #expect(Catalogue.all.count >= forUsers + 50)
    }

    @Test("No two cases share a name, and each name has its concern")
    func namesAreUnique() {
        #expect(Set(Catalogue.all.map(\.name)).count == Catalogue.all.count)
        #expect(Catalogue.all.allSatisfy { $0.name.contains("/") })
    }

    @Test("A case that takes another user's identity, however deep, is root's alone")
    func identityIsSeenInNestedSteps() {
        #expect(Case("a", .create("f"), .watch("f", do: .asUser(1000, .unlink("f")))).needsRoot)
        #expect(!Case("a", .create("f"), .watch("f", do: .unlink("f"))).needsRoot)
    }
}

@Suite("The written list of exceptions")
struct ExceptionTests {
    private let all = Exception.written(.simulator, .guest) + Exception.ofOwnMounts

    @Test("It has few kinds, for names and for guests too, each with its reason and its cases")
    func kindsAreFew() {
        #expect(Exception.all.count <= 12 && Exception.ofSimulatorNames.count <= 2)
        #expect(Exception.ofGuests.count <= 6 && Exception.ofOwnMounts.count <= 6)
        #expect(Exception.written(.legacy, .home).count == Exception.all.count)
        #expect(Exception.written(.device, .home).count == Exception.all.count + 3)
        #expect(all.allSatisfy { !$0.reason.isEmpty && !$0.expectations.isEmpty })
    }

    @Test("Each exception is of a case that exists, and of no case twice for one view")
    func casesExist() {
        for part in [Exception.written(.simulator, .home), Exception.ofGuests, Exception.ofOwnMounts] {
            let names = part.flatMap { $0.expectations.map(\.name) }
            #expect(Set(names).isSubset(of: Catalogue.all.map(\.name)))
            #expect(Set(names).count == names.count)
        }
    }

    @Test("Each exception allows an outcome that differs from the plain one")
    func eachDiffers() {
        for expectation in all.flatMap(\.expectations) {
            #expect(
                expectation.pairs.contains { pair in pair.mount.contains { $0 != pair.plain } },
                "\(expectation.name)")
        }
    }
}

@Suite("Verdicts")
struct VerdictTests {
    private let written = Exception.Expectation(
        kind: "kind", name: "a/case",
        pairs: [.init("plain", mount: "other", "third"), .init("user", mount: "user")])

    @Test("Without an exception the outcomes must be the same")
    func sameOrFailed() {
        #expect(Verdict(control: "x", mount: "x", nil) == .same)
        #expect(
            Verdict(control: "x", mount: "y", nil)
                == .failed(why: "outcomes differ", control: "x", mount: "y"))
    }

    @Test("An exception's mount must show exactly what is written beside the control's outcome")
    func exceptionIsExact() {
        #expect(Verdict(control: "plain", mount: "third", written) == .exception(kind: "kind"))
        #expect(Verdict(control: "user", mount: "user", written) == .exception(kind: "kind"))
        for (control, mount) in [("plain", "plain"), ("plain", "user"), ("user", "other"), ("new", "other")] {
            guard case .failed = Verdict(control: control, mount: mount, written) else {
                Issue.record("\(control) and \(mount) passed")
                continue
            }
        }
    }
}
