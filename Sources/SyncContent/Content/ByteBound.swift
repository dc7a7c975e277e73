extension Collection {
    /// The first elements that together are not larger than `limitBytes`.
    /// - Parameter bytes: the size of one. Where the first is larger than the limit, nothing is had.
    package func prefix(upToBytes limitBytes: Int, _ bytes: (Element) -> Int) -> SubSequence {
        var held = 0
        return prefix { element in
            held += bytes(element)
            return held <= limitBytes
        }
    }
}
