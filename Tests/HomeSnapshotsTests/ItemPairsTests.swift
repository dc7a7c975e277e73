import Testing

@testable import HomeSnapshots

/// Which item of a later snapshot is which one of an earlier snapshot.
@Suite struct ItemPairsTests {
    private func item(
        _ path: String, _ inode: UInt64, born: Int64 = 1, _ kind: SnapshotItem.Kind = .file
    ) -> SnapshotItem {
        var item = SnapshotItem(place: .init(group: nil, path: path), kind: kind)
        (item.inode, item.birth) = (inode, born)
        return item
    }

    /// Each item as `old=new`, `-old` or `+new`; with `*` where it is not where it would be.
    private func pairs(_ old: [SnapshotItem], _ new: [SnapshotItem]) -> [String] {
        let (old, new) = (old.sorted { $0.place < $1.place }, new.sorted { $0.place < $1.place })
        let pairs = ItemPairs(old, new)
        let kept = pairs.pairs.map { index, partner in
            let isMoved = pairs.expectedPlace(of: index) != new[partner].place
            return "\(old[index].place.path)=\(new[partner].place.path)\(isMoved ? "*" : "")"
        }
        return
            (kept + pairs.deleted.map { "-\(old[$0].place.path)" }
            + pairs.added.map { "+\(new[$0].place.path)" }).sorted()
    }

    @Test func aRenamedFileIsKnownByItsInodeAndBirth() {
        #expect(pairs([item("a", 1)], [item("b", 1)]) == ["a=b*"])
        #expect(pairs([item("a", 1)], [item("b", 1, born: 2)]) == ["+b", "-a"])
        // No birth times: an inode number alone says nothing.
        #expect(pairs([item("a", 1, born: 0)], [item("b", 1, born: 0)]) == ["+b", "-a"])
        #expect(pairs([item("a", 1, born: 0)], [item("a", 2, born: 0)]) == ["a=a"])
    }

    @Test func aSaveThatExchangesTheFileIsAChange() {
        #expect(pairs([item("a", 1)], [item("a", 2)]) == ["a=a"])
        #expect(pairs([item("a", 1)], [item("a", 2, .database)]) == ["a=a"])
        #expect(pairs([item("a", 1)], [item("a", 2, .directory)]) == ["+a", "-a"])
    }

    @Test func whatLiesInARenamedDirectoryIsNotRenamed() {
        let old = [item("d", 1, .directory), item("d/a", 2), item("d/b", 3), item("d/c", 4)]
        let new = [item("e", 1, .directory), item("e/a", 2), item("e/b", 5), item("e/x", 4)]
        #expect(pairs(old, new) == ["d/a=e/a", "d/b=e/b", "d/c=e/x*", "d=e*"])
    }

    @Test func oneThatTakesAnothersPlaceIsRenamed() {
        #expect(pairs([item("a", 1), item("b", 2)], [item("b", 1)]) == ["-b", "a=b*"])
        #expect(pairs([item("a", 1), item("b", 2)], [item("a", 2), item("b", 1)]) == ["a=b*", "b=a*"])
        #expect(pairs([item("a", 1)], [item("a~", 1), item("a", 2)]) == ["+a", "a=a~*"])
    }

    @Test func aHardLinkIsAdded() {
        #expect(pairs([item("a", 1)], [item("a", 1), item("b", 1)]) == ["+b", "a=a"])
        #expect(pairs([item("a", 1), item("b", 1)], [item("b", 1)]) == ["-a", "b=b"])
    }
}
