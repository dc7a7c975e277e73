public import PropertyLists

extension Call where Reply == PreferenceValue {
    /// A value of an app's key-value store, or all of them; never asks the cloud.
    public static func keyValues(of app: String, key: String?) -> Call {
        Call(.keyValues(KeyValueRequest(app: app, action: .get(key: key))), deadlineSeconds: quickSeconds) {
            if case .preference(let value) = $0 { value } else { nil }
        }
    }
}

extension Call where Reply == Void {
    /// Sets keys one after the other. The failure names the first that cannot be; those before it are set.
    public static func setKeyValues(_ items: [KeyValueItem], of app: String) -> Call {
        doing(.keyValues(KeyValueRequest(app: app, action: .set(items))), deadlineSeconds: quickSeconds)
    }

    public static func deleteKeyValue(_ key: String, of app: String) -> Call {
        doing(.keyValues(KeyValueRequest(app: app, action: .delete(key: key))), deadlineSeconds: quickSeconds)
    }
}

extension Call where Reply == KeyValueChangeReport? {
    /// Follows what others set; nil comes first, when nothing is missed any more.
    public static func watchKeyValues(of app: String) -> Call {
        Call(.keyValues(KeyValueRequest(app: app, action: .watch)), stream: .events) {
            switch $0 {
            case .watching: .some(nil)
            case .keyValueChange(let change): .some(change)
            default: nil
            }
        }
    }
}
