/// Where it is kept what lies on this disk and what both sides agreed on.
public protocol SyncedStorage: AnyObject {
}
