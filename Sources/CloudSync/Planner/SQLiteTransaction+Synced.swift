internal import GRDB

extension SQLiteTransaction {
    static func registerSynced(in migrator: inout DatabaseMigrator) {
    }
}
