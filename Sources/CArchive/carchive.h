// libarchive, which reads .ipa files. Only Device imports this.
#ifndef APPHOME_CARCHIVE_H
#define APPHOME_CARCHIVE_H
#include <archive.h>
#include <archive_entry.h>
#endif
