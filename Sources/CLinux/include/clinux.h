// System calls that glibc declares only under _GNU_SOURCE, or not at all, for Swift.
//
// Every lx_ function returns its result (>= 0) or -errno, so that no caller reads the
// thread's errno and one funnel in Posix turns results into typed errors.
#ifndef APPHOME_CLINUX_H
#define APPHOME_CLINUX_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

// Open flags and other numbers that differ between architectures or need _GNU_SOURCE.
extern const int32_t lx_o_wronly;
extern const int32_t lx_o_rdwr;
extern const int32_t lx_o_creat;
extern const int32_t lx_o_excl;
extern const int32_t lx_o_trunc;
extern const int32_t lx_o_accmode;
extern const int32_t lx_o_append;
extern const int32_t lx_o_nonblock;
extern const int32_t lx_o_noctty;
extern const int32_t lx_o_path;
extern const int32_t lx_o_directory;
extern const int32_t lx_o_nofollow;
extern const int32_t lx_o_direct;
extern const int32_t lx_o_tmpfile;
extern const int32_t lx_o_cloexec;
extern const int32_t lx_o_noatime;
// What an OPEN has among its flags where the file is to be run (the kernel's __FMODE_EXEC).
extern const int32_t lx_open_for_exec;
extern const int32_t lx_may_write;
extern const int32_t lx_may_search;
extern const int32_t lx_at_fdcwd;
extern const int32_t lx_at_empty_path;
extern const int32_t lx_at_symlink_nofollow;
extern const int32_t lx_at_symlink_follow;
extern const int32_t lx_at_removedir;
extern const uint32_t lx_rename_noreplace;
extern const uint32_t lx_rename_exchange;
extern const int32_t lx_falloc_keep_size;
extern const int32_t lx_falloc_punch_hole;
extern const int32_t lx_falloc_zero_range;
extern const int32_t lx_seek_data;
extern const int32_t lx_seek_hole;
extern const int64_t lx_utime_now;
extern const int64_t lx_utime_omit;

int32_t lx_openat(int32_t dir, const char *path, int32_t flags, uint32_t mode);
// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS: never leaves `dir`.
int32_t lx_openat_beneath(int32_t dir, const char *path, int32_t flags, uint32_t mode);
// open(2) with RESOLVE_NO_SYMLINKS: no component may be a link (ELOOP).
int32_t lx_open_without_links(const char *path, int32_t flags);
// openat2(2) with RESOLVE_NO_MAGICLINKS: no link of /proc's leads to what a process has open (ELOOP).
int32_t lx_open_without_magic_links(int32_t dir, const char *path, int32_t flags);
// open(2), but of a FIFO (EACCES), whoever puts one there at which moment: nobody might ever open its other end.
int32_t lx_open_no_fifo(const char *path, int32_t flags, uint32_t mode);
// Opens a directory to list it without a move of its access time. That is its owner's right (O_NOATIME in
// open(2)): in somebody else's directory the time moves. Follows no link as last name.
int32_t lx_open_unnoticed(int32_t dir, const char *path);
// Opens anew what an open or O_PATH descriptor holds.
int32_t lx_reopen(int32_t fd, int32_t flags);
int32_t lx_close(int32_t fd);
int32_t lx_dup_cloexec(int32_t fd);
int32_t lx_fstat(int32_t fd, struct stat *out);
int32_t lx_fstatat(int32_t dir, const char *path, struct stat *out, int32_t flags);
// access(2) by the effective ids; `path` may be "" for `dir` itself. Links are not followed.
int32_t lx_accessat(int32_t dir, const char *path, int32_t mode);
int32_t lx_fstatvfs(int32_t fd, struct statvfs *out);
// Seconds and nanoseconds of birth (statx); 0 and 0 where the file system has none.
int32_t lx_birth_time(int32_t dir, const char *path, struct timespec *out);
int32_t lx_access_time(int32_t dir, const char *path, struct timespec *out);
// What statx(2) tells of an item, times in nanoseconds since 1970; birth 0 where the file system has none.
struct lx_stamp {
  uint64_t device, inode, size, links;
  int64_t birth, modified, changed;
  uint32_t mode, uid, gid;
  uint32_t is_mount;
};
int32_t lx_stamp(int32_t dir, const char *path, struct lx_stamp *out);
int32_t lx_mkdirat(int32_t dir, const char *path, uint32_t mode);
int32_t lx_mknodat(int32_t dir, const char *path, uint32_t mode, uint64_t device);
int32_t lx_unlinkat(int32_t dir, const char *path, int32_t flags);
int32_t lx_symlinkat(const char *target, int32_t dir, const char *path);
int32_t lx_linkat(int32_t old_dir, const char *old_path, int32_t new_dir, const char *new_path, int32_t flags);
int32_t lx_renameat2(int32_t old_dir, const char *old_path, int32_t new_dir, const char *new_path, uint32_t flags);
// linkat(2) of what an O_PATH descriptor holds.
int32_t lx_link_descriptor(int32_t fd, int32_t new_dir, const char *new_path);
int64_t lx_readlinkat(int32_t dir, const char *path, char *out, uint64_t size);
// `path` may be "" for `dir` itself, which may be an O_PATH descriptor. Links are not followed.
int32_t lx_chownat(int32_t dir, const char *path, uint32_t uid, uint32_t gid);
int32_t lx_chmodat(int32_t dir, const char *path, uint32_t mode);
int32_t lx_utimensat(int32_t dir, const char *path, const struct timespec times[2]);
int32_t lx_fchmod(int32_t fd, uint32_t mode);
int32_t lx_ftruncate(int32_t fd, int64_t size);
int32_t lx_futimens(int32_t fd, const struct timespec times[2]);
int32_t lx_fsync(int32_t fd, int32_t data_only);
int64_t lx_getdents64(int32_t fd, void *buffer, uint64_t size);
int64_t lx_lseek(int32_t fd, int64_t offset, int32_t whence);
int64_t lx_pread(int32_t fd, void *buffer, uint64_t size, int64_t offset);
// As lx_pread for what is in memory already: -EAGAIN, or less than `size`, where it would have to wait.
int64_t lx_pread_nowait(int32_t fd, void *buffer, uint64_t size, int64_t offset);
int64_t lx_pwrite(int32_t fd, const void *buffer, uint64_t size, int64_t offset);
/// Writes at the end of the file, wherever that is by then.
int64_t lx_append(int32_t fd, const void *buffer, uint64_t size);
int32_t lx_fallocate(int32_t fd, int32_t mode, int64_t offset, int64_t size);
int64_t lx_copy_file_range(int32_t from, int64_t *from_offset, int32_t to, int64_t *to_offset, uint64_t size);

// Extended attributes of `path` in `dir` (or of `dir` itself where path is ""), by the *xattrat calls
// of Linux 6.13 where the kernel has them, else through /proc/self/fd. Links are not followed.
int64_t lx_getxattrat(int32_t dir, const char *path, const char *name, void *value, uint64_t size);
int32_t lx_setxattrat(int32_t dir, const char *path, const char *name, const void *value, uint64_t size, int32_t flags);
int64_t lx_listxattrat(int32_t dir, const char *path, char *list, uint64_t size);
int32_t lx_removexattrat(int32_t dir, const char *path, const char *name);

int64_t lx_read(int32_t fd, void *buffer, uint64_t size);
int64_t lx_writev(int32_t fd, const struct iovec *parts, int32_t count);
int64_t lx_splice(int32_t from, int32_t to, uint64_t size, uint32_t flags);
// For callbacks of C libraries, which report failures through errno.
void lx_set_errno(int32_t value);
int64_t lx_realtime_nanoseconds(void);
// By the clock that nobody sets.
int64_t lx_monotonic_nanoseconds(void);
// The same, and it runs on while the machine is suspended.
int64_t lx_boottime_nanoseconds(void);
int32_t lx_getpid(void);
// 1 where the thread is its process's first one, whose number is the process's too; else 0.
int32_t lx_is_process(int32_t thread);

// Names the calling thread; what is over 15 bytes is cut.
void lx_name_thread(const char *name);
// No core file of this process, and no debugger of its user.
void lx_keep_memory_private(void);
// One heap for all threads, where each would have its own.
void lx_keep_heap_together(void);

// One pointer of the calling thread's own; null in a new thread.
void *lx_thread_value(void);
void lx_set_thread_value(void *value);

// Address space that costs memory only where it is touched; null where there is none.
void *lx_map_reserved(uint64_t size);
void lx_unmap(void *start, uint64_t size);

// The calls of sockets, mounting and processes.
#include "lxpassthrough.h"
#include "lxprocess.h"
#include "lxrights.h"
#include "lxsocket.h"
#include "lxwatch.h"

// Starts to write out the contents of the file `fd`, and does not wait for it (sync_file_range(2)).
int32_t lx_start_writeback(int32_t fd);
// Writes out the whole file system that holds `fd`, and waits for it (syncfs(2)).
int32_t lx_syncfs(int32_t fd);
// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS: follows links that stay in `dir`; -EXDEV for one that leaves.
int32_t lx_openat_following_beneath(int32_t dir, const char *path, int32_t flags);

#endif
