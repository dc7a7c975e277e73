/// Where the batch in flight, its number and the cursor are kept.
public protocol JournalStorage: AnyObject {
}
