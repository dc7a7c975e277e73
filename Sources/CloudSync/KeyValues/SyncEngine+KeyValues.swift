extension SyncEngine {
    /// Begins to keep a key-value store in step. A second call replaces the first.
    package func add(_ keyValues: AttachedKeyValues) async {
        await removeKeyValues(keyValues.identifier)
        attachedKeyValues[keyValues.identifier] = keyValues
        wake()
    }

    /// Ends that, as `remove` does of an app.
    package func removeKeyValues(_ identifier: String) async {
        attachedKeyValues[identifier] = nil
        guard let there = keyValues.removeValue(forKey: identifier) else { return }
        await there.stop()
        await there.waitForEnd()
    }

    /// Of those that were added.
    func makeKeyValues() {
        guard let account = session?.account else { return }
        for (identifier, attached) in attachedKeyValues where keyValues[identifier] == nil {
            keyValues[identifier] = KeyValueSync(attached, account: account, surroundings: surroundings)
        }
    }
}
