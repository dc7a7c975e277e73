/// Where two lists of named values differ, by the names; nil is what one of them does not have.
func differences<Value: Equatable>(
    _ old: [String: Value], _ new: [String: Value]
) -> [(name: String, before: Value?, after: Value?)] {
    Set(old.keys).union(new.keys).sorted().compactMap { name in
        old[name] == new[name] ? nil : (name, old[name], new[name])
    }
}
