/// Pages of a snapshot that is being fetched, beside the tree whose place it takes: a large one is never in
/// memory, and whoever is ended in its middle goes on there.
package protocol FetchedPages: AnyObject {
    /// How many pages of the snapshot with this tree hash are here, from the first one on.
    func fetchedPages(of snapshot: ContentHash) throws -> Int
    /// The next one; pages of other snapshots go.
    func addFetchedPage(_ bytes: [UInt8], of snapshot: ContentHash) throws
    /// Nil where it is not there.
    func fetchedPage(_ number: Int) throws -> [UInt8]?
    func removeFetchedPages() throws
}
