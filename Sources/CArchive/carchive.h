// libarchive: Device reads .ipa files by it, Backup writes tar archives.
#ifndef APPHOME_CARCHIVE_H
#define APPHOME_CARCHIVE_H
#include <archive.h>
#include <archive_entry.h>
#endif
