import Testing

@testable import FuseKit

/// How often a kernel was told of each node.
struct NodeTableTests {
    /// Of both halves of the numbers: the lower one is an array, the upper one is not.
    @Test(arguments: [3, 5_000, 1 << 31, UInt32.max])
    func theFirstTellingAndTheLastForgetCount(number: UInt32) {
        let table = NodeTable(root: NodeKey(rawValue: 0))
        let node = NodeKey(rawValue: number)
        let told = table.number(of: node)
        #expect(table.node(told) == node && !table.isKnown(node, as: told))
        #expect(table.count(node) && !table.count(node))
        #expect(table.isKnown(node, as: told) && !table.isKnown(node, as: told + 1))
        #expect(!table.forget(node, 1) && table.forget(node, 5) && !table.forget(node, 1))
        #expect(!table.isKnown(node, as: told) && table.count(node))
        #expect(table.drain() == [node] && table.drain().isEmpty)
    }
}
