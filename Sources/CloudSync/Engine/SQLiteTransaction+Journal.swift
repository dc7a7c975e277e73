internal import GRDB

extension SQLiteTransaction {
    static func registerJournal(in migrator: inout DatabaseMigrator) {
    }
}
