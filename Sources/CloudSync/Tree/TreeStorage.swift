/// Where the tree that the log makes is kept (`TreeState` has the rules).
public protocol TreeStorage: AnyObject {
}
