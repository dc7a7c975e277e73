// Being told of changes in a directory, and what kind of file system one lies on.
#ifndef APPHOME_LXWATCH_H
#define APPHOME_LXWATCH_H

#include <stdint.h>

// A descriptor that reports changes, not blocking; closed on exec.
int32_t lx_inotify(void);
// Reports what is made, written, renamed and removed in the directory `fd`, and the directory's own end.
int32_t lx_inotify_add(int32_t inotify, int32_t fd);
// Takes all that `inotify` has to report. Returns 1 where the watched directory itself is gone, else 0.
int32_t lx_inotify_drain(int32_t inotify);
// The file system's magic number (statfs(2)), or -errno.
int64_t lx_file_system_type(int32_t fd);

#endif
