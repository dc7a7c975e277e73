// SQLite for Swift: the library's own header, and the calls with a variable number of arguments, which Swift does
// not import.
#ifndef APPHOME_CSQLITE_H
#define APPHOME_CSQLITE_H

#include <sqlite3.h>

// The last connection that closes leaves the write-ahead log as it is.
static inline int csqlite_keep_log(sqlite3 *db) {
  int isOn = 0;
  int code = sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &isOn);
  if (code != SQLITE_OK) return code;
  int keeps = 1;
  return sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps);
}

#endif
