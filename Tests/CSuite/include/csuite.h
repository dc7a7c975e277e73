// System calls that only the POSIX suite makes. Results as in clinux.h: at least 0, or -errno.
#ifndef APPHOME_CSUITE_H
#define APPHOME_CSUITE_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>

extern const int32_t lx_falloc_collapse_range;
extern const int32_t lx_falloc_insert_range;
extern const int32_t lx_falloc_unshare_range;
extern const uint32_t lx_rename_whiteout;
extern const int32_t lx_f_getlk;
extern const int32_t lx_f_setlk;
extern const int32_t lx_f_setlkw;
extern const int32_t lx_f_ofd_getlk;
extern const int32_t lx_f_ofd_setlk;

// "ENOENT" and the like; NULL for a number that is none.
const char *lx_errno_name(int32_t number);
// "BUS" and the like; NULL for a number that is none.
const char *lx_signal_name(int32_t number);
// Gives the calling thread a working directory and umask of its own.
int32_t lx_unshare_fs(void);
// Gives the calling thread alone these ids, real and effective; the saved ones stay 0, so that it can
// go back with lx_thread_become_root (which leaves it no supplementary group).
int32_t lx_thread_become(uint32_t uid, uint32_t gid, const uint32_t *groups, uint64_t count);
int32_t lx_thread_become_root(void);
// Gives the whole process these ids for good, and no supplementary group.
int32_t lx_process_become(uint32_t uid, uint32_t gid);
// fork(2); the child dies with the calling thread, and by its signals.
int32_t lx_fork(void);
// Exit status of the child, or 256 + the signal that ended it.
int32_t lx_wait_status(int32_t pid);
// fcntl(2) with a lock from `start`; where `command` asks for a lock, the answer comes back in the arguments.
int32_t lx_lock(int32_t fd, int32_t command, int16_t *type, int64_t *start, int64_t *length);
int32_t lx_set_lease(int32_t fd, int32_t type);
int32_t lx_get_inode_flags(int32_t fd, int32_t *out);
// Number of extents that FIEMAP counts.
int32_t lx_count_extents(int32_t fd);
int32_t lx_sync_file_range(int32_t fd);
int32_t lx_faccessat(const char *path, int32_t mode, int32_t effective, int32_t no_follow);

#endif
