import Testing

@testable import Doctor

/// What `doctor --explain` prints.
@Suite struct ExplanationTests {
    @Test func everyCodeHasAPageThatSaysAll() {
        for code in FindingCode.allCases {
            let lines = Explanation.page(of: code)
            #expect(lines.first == "\(code.rawValue) (\(code.severity.rawValue)): \(code.title)")
            for head in ["On a device:", "Why it breaks:", "How to mend it:", "Source:"] {
                let index = lines.firstIndex(of: head)
                #expect(index.map { lines[$0 + 1].count > 4 } == true, "\(code): \(head)")
            }
            #expect(lines.allSatisfy { $0.count <= 110 }, "\(code)")
            #expect(code.rawValue.allSatisfy { $0 == "-" || $0.isUppercase }, "\(code)")
        }
        #expect(Explanation.list.map { $0[0] } == FindingCode.allCases.map(\.rawValue))
    }

    @Test func severitiesAreOrdered() {
        #expect(Severity.note < .warning && Severity.warning < .error)
    }

    @Test func aListIsBoundedAndCountsWhatItDoesNotHold() {
        var list = FindingList()
        for number in 0..<FindingList.most + 7 { list.add(.large, "\(number)", "") }
        list.add(.containerPath, "one", "")
        #expect(list.findings.count == FindingList.most + 1 && list.omitted == 7)
        #expect(list.count(atLeast: .warning) == FindingList.most + 8 && list.count(of: .error) == 1)
    }
}
