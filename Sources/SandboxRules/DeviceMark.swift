/// Files in a device's folder that say what it is.
public enum DeviceMark {
    /// The folder is a copy of another device's, which has the same identifier still: who opens it gives it
    /// one of its own first. There until that is done.
    public static let clone = "Clone"
}
