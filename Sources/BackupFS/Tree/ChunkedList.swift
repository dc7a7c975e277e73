/// A growing list that is never copied whole: while it grows, memory holds one piece more and not all of it
/// twice.
struct ChunkedList<Element> {
    private var chunks: [ContiguousArray<Element>] = []
    private(set) var count = 0

    private static var chunkCount: Int { 4096 }

    mutating func append(_ element: Element) {
        if count % Self.chunkCount == 0 {
            var chunk = ContiguousArray<Element>()
            chunk.reserveCapacity(Self.chunkCount)
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(element)
        count += 1
    }

    subscript(_ index: Int) -> Element {
        get { chunks[index / Self.chunkCount][index % Self.chunkCount] }
        _modify { yield &chunks[index / Self.chunkCount][index % Self.chunkCount] }
    }
}
