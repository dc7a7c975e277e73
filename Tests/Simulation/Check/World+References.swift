internal import CloudStore
internal import CloudSync

extension World {
    /// I5: every live reference leads to bytes of that hash.
    func checkReferences() {
    }
}
