internal import FoundationEssentials
internal import GRDB

extension Catalogue {
    static func createCloud(_ database: Database) throws {
        try database.create(table: "account") { table in
            table.primaryKey("id", .integer).check { $0 == 1 }
            table.column("url", .text).notNull()
            table.column("keys", .blob)
            table.column("profile", .blob)
            table.column("network", .blob)
        }
        try database.create(table: "appWithoutCloud") { $0.primaryKey("bundleID", .text) }
    }

    static func addAccountFolder(_ database: Database) throws {
        try database.alter(table: "account") { $0.add(column: "folder", .text) }
    }

    func cloudAccount() throws -> CloudAccount? {
        guard let row = try read({ try Row.fetchOne($0, sql: "SELECT * FROM account") })
        else {
            return nil
        }
        return CloudAccount(
            url: row["url"], keys: try Self.decode(row["keys"]), profile: try Self.decode(row["profile"]),
            network: try Self.decode(row["network"]) ?? [:], folder: row["folder"])
    }

    func setCloudAccount(_ account: CloudAccount) throws {
        let keys = try account.keys.map { try JSONEncoder().encode($0) }
        let profile = try account.profile.map { try JSONEncoder().encode($0) }
        let network = try JSONEncoder().encode(account.network)
        try write {
            try $0.execute(
                sql: """
                    INSERT OR REPLACE INTO account (id, url, keys, profile, network, folder)
                    VALUES (1, ?, ?, ?, ?, ?)
                    """, arguments: [account.url, keys, profile, network, account.folder])
        }
    }

    func appsWithoutCloud() throws -> Set<String> {
        try read { try String.fetchSet($0, sql: "SELECT bundleID FROM appWithoutCloud") }
    }

    func setCloud(of bundleID: String, isOn: Bool) throws {
        let statement =
            isOn
            ? "DELETE FROM appWithoutCloud WHERE bundleID = ?"
            : "INSERT OR REPLACE INTO appWithoutCloud (bundleID) VALUES (?)"
        try write { try $0.execute(sql: statement, arguments: [bundleID]) }
    }

    private static func decode<Value: Decodable>(_ bytes: Data?) throws -> Value? {
        try bytes.map { try JSONDecoder().decode(Value.self, from: $0) }
    }
}
