package import CloudStore

/// An account that was opened: its store, what is fixed about it, and where everything lies.
package struct Account: Sendable {
    package let store: any ObjectStore
    package let format: AccountFormat
    /// Of what this device writes; readers take any.
    package let sizes: ContentSizes

    package init(store: any ObjectStore, format: AccountFormat, sizes: ContentSizes = ContentSizes()) {
        self.store = store
        self.format = format
        self.sizes = sizes
    }

    /// The same account, asked in another way.
    package func asked(_ store: any ObjectStore) -> Account {
        Account(store: store, format: format, sizes: sizes)
    }

    package var layout: StoreLayout { StoreLayout(nameKey: format.nameKey) }

    /// Opens the account in a store, or makes one where none is. Of several devices that make one at once,
    /// all get the format of the one that was first.
    /// - Throws: `.unknownVersion` and `.unknownFeature` where a later program made it: nothing was changed.
    package static func open(
        _ store: any ObjectStore, randomness: any SyncRandomness, sizes: ContentSizes = ContentSizes()
    ) async throws(AccountError) -> Account {
        if let format = try await readFormat(of: store) {
            return Account(store: store, format: format, sizes: sizes)
        }
        let format = AccountFormat(random: randomness)
        let bytes = try format.encoded()
        // First what explains, so that no account is without it.
        for (object, key) in [(Array(readme.utf8), StoreLayout.readme), (bytes, StoreLayout.format)] {
            _ = try await AccountError.asking(await store.putIfAbsent(object, at: key))
        }
        guard let made = try await readFormat(of: store) else {
            throw .malformed("the account's format was written and is not there")
        }
        return Account(store: store, format: made, sizes: sizes)
    }

    /// - Returns: nil where the store has no account.
    package static func existing(in store: any ObjectStore) async throws(AccountError) -> Account? {
        try await readFormat(of: store).map { Account(store: store, format: $0) }
    }

    private static func readFormat(of store: any ObjectStore) async throws(AccountError) -> AccountFormat? {
        let found = try await AccountError.asking(await store.get(StoreLayout.format).value)
        guard let found else { return nil }
        return try AccountFormat(decoding: found.bytes)
    }

    static let readme = """
        This is an account of AppHome: the documents of apps, shared between devices.

        What lies here are chunks and logs, not files: c/ and p/ hold runs of bytes under names that say
        nothing, a/*/log/ says in order what every device did. Change and delete nothing by hand; a device
        would miss it.

        To read documents: apphome share mount APP DIR --from URL
        To see what is in the account: apphome cloud account show

        """
}

extension AccountFormat {
    /// Of a new account.
    init(random: any SyncRandomness) {
        // Its own numbers: the name key must not tell the seed.
        let (key, seed) = (NameKey(random.next), NameKey(random.next))
        self.init(nameKey: key, chunking: ChunkingParameters(seed: seed.bytes))
    }
}

/// Why an account could not be opened.
package enum AccountError: StoreFailure, Equatable, Sendable {
    case store(StoreError)
    /// A later program made it.
    case unknownVersion(Int)
    case unknownFeature(String)
    case malformed(String)
}
