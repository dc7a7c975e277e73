#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

const int32_t lx_o_wronly = O_WRONLY;
const int32_t lx_o_rdwr = O_RDWR;
const int32_t lx_o_creat = O_CREAT;
const int32_t lx_o_excl = O_EXCL;
const int32_t lx_o_trunc = O_TRUNC;
const int32_t lx_o_accmode = O_ACCMODE;
const int32_t lx_o_append = O_APPEND;
const int32_t lx_o_nonblock = O_NONBLOCK;
const int32_t lx_o_noctty = O_NOCTTY;
const int32_t lx_o_path = O_PATH;
const int32_t lx_o_directory = O_DIRECTORY;
const int32_t lx_o_nofollow = O_NOFOLLOW;
const int32_t lx_o_direct = O_DIRECT;
const int32_t lx_o_tmpfile = O_TMPFILE;
const int32_t lx_o_cloexec = O_CLOEXEC;
const int32_t lx_o_noatime = O_NOATIME;
const int32_t lx_open_for_exec = 0x20;
const int32_t lx_may_write = W_OK;
const int32_t lx_may_search = X_OK;
const int32_t lx_at_fdcwd = AT_FDCWD;
const int32_t lx_at_empty_path = AT_EMPTY_PATH;
const int32_t lx_at_symlink_nofollow = AT_SYMLINK_NOFOLLOW;
const int32_t lx_at_symlink_follow = AT_SYMLINK_FOLLOW;
const int32_t lx_at_removedir = AT_REMOVEDIR;
const uint32_t lx_rename_noreplace = RENAME_NOREPLACE;
const uint32_t lx_rename_exchange = RENAME_EXCHANGE;
const int32_t lx_falloc_keep_size = FALLOC_FL_KEEP_SIZE;
const int32_t lx_falloc_punch_hole = FALLOC_FL_PUNCH_HOLE;
const int32_t lx_falloc_zero_range = FALLOC_FL_ZERO_RANGE;
const int32_t lx_seek_data = SEEK_DATA;
const int32_t lx_seek_hole = SEEK_HOLE;
const int64_t lx_utime_now = UTIME_NOW;
const int64_t lx_utime_omit = UTIME_OMIT;

#define RESULT(call) ({ __typeof__(call) r_ = (call); r_ < 0 ? -errno : r_; })

int32_t lx_openat(int32_t dir, const char *path, int32_t flags, uint32_t mode) {
  return RESULT(openat(dir, path, flags | O_CLOEXEC, mode));
}

int32_t lx_open_unnoticed(int32_t dir, const char *path) {
  const int32_t flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  int32_t result = lx_openat(dir, path, flags | O_NOATIME, 0);
  return result == -EPERM ? lx_openat(dir, path, flags, 0) : result;
}

static int32_t open_within(int32_t dir, const char *path, int32_t flags, uint32_t mode, uint64_t resolve) {
  struct open_how how = {
      .flags = (uint64_t)(uint32_t)flags | O_CLOEXEC,
      // openat2 refuses a mode where nothing is created.
      .mode = (flags & (O_CREAT | __O_TMPFILE)) ? mode : 0,
      .resolve = resolve,
  };
  return (int32_t)RESULT(syscall(SYS_openat2, dir, path, &how, sizeof how));
}

int32_t lx_openat_beneath(int32_t dir, const char *path, int32_t flags, uint32_t mode) {
  return open_within(dir, path, flags, mode, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

int32_t lx_open_without_links(const char *path, int32_t flags) {
  return open_within(AT_FDCWD, path, flags, 0, RESOLVE_NO_SYMLINKS);
}

int32_t lx_open_without_magic_links(int32_t dir, const char *path, int32_t flags) {
  return open_within(dir, path, flags, 0, RESOLVE_NO_MAGICLINKS);
}

int32_t lx_open_no_fifo(const char *path, int32_t flags, uint32_t mode) {
  int found = open(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
  if (found < 0) {
    // What is made now; and a FIFO that comes in between is not waited for.
    int makes = errno == ENOENT && flags & O_CREAT;
    return makes ? RESULT(open(path, flags | O_CLOEXEC | O_NONBLOCK, mode)) : -errno;
  }
  struct stat status;
  int32_t result = RESULT(fstat(found, &status));
  if (result == 0 && S_ISFIFO(status.st_mode)) result = -EACCES;
  if (result == 0) result = flags & O_EXCL ? -EEXIST : lx_reopen(found, flags & ~(O_CREAT | O_NOFOLLOW));
  close(found);
  return result;
}

int32_t lx_close(int32_t fd) { return RESULT(close(fd)); }
int32_t lx_dup_cloexec(int32_t fd) { return RESULT(fcntl(fd, F_DUPFD_CLOEXEC, 0)); }
int32_t lx_fstat(int32_t fd, struct stat *out) { return RESULT(fstat(fd, out)); }

int32_t lx_fstatat(int32_t dir, const char *path, struct stat *out, int32_t flags) {
  return RESULT(fstatat(dir, path, out, flags));
}

int32_t lx_accessat(int32_t dir, const char *path, int32_t mode) {
  return RESULT((int32_t)syscall(SYS_faccessat2, dir, path, mode, AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH));
}

int32_t lx_fstatvfs(int32_t fd, struct statvfs *out) { return RESULT(fstatvfs(fd, out)); }

int32_t lx_birth_time(int32_t dir, const char *path, struct timespec *out) {
  struct statx details;
  int result = statx(dir, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BTIME, &details);
  if (result < 0) return -errno;
  int known = (details.stx_mask & STATX_BTIME) != 0;
  out->tv_sec = known ? details.stx_btime.tv_sec : 0;
  out->tv_nsec = known ? details.stx_btime.tv_nsec : 0;
  return 0;
}

int32_t lx_access_time(int32_t dir, const char *path, struct timespec *out) {
  struct statx details;
  int result = statx(dir, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_ATIME, &details);
  if (result < 0) return -errno;
  out->tv_sec = details.stx_atime.tv_sec;
  out->tv_nsec = details.stx_atime.tv_nsec;
  return 0;
}

static int64_t nanoseconds(struct statx_timestamp time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

int32_t lx_stamp(int32_t dir, const char *path, struct lx_stamp *out) {
  struct statx details;
  int result = statx(dir, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &details);
  if (result < 0) return -errno;
  *out = (struct lx_stamp){
      .device = makedev(details.stx_dev_major, details.stx_dev_minor),
      .inode = details.stx_ino,
      .size = details.stx_size,
      .links = details.stx_nlink,
      .birth = details.stx_mask & STATX_BTIME ? nanoseconds(details.stx_btime) : 0,
      .modified = nanoseconds(details.stx_mtime),
      .changed = nanoseconds(details.stx_ctime),
      .mode = details.stx_mode,
      .uid = details.stx_uid,
      .gid = details.stx_gid,
      .is_mount = (details.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
  };
  return 0;
}

int32_t lx_mkdirat(int32_t dir, const char *path, uint32_t mode) { return RESULT(mkdirat(dir, path, mode)); }

int32_t lx_mknodat(int32_t dir, const char *path, uint32_t mode, uint64_t device) {
  return RESULT(mknodat(dir, path, mode, device));
}

int32_t lx_unlinkat(int32_t dir, const char *path, int32_t flags) { return RESULT(unlinkat(dir, path, flags)); }

int32_t lx_symlinkat(const char *target, int32_t dir, const char *path) {
  return RESULT(symlinkat(target, dir, path));
}

int32_t lx_linkat(int32_t old_dir, const char *old_path, int32_t new_dir, const char *new_path, int32_t flags) {
  return RESULT(linkat(old_dir, old_path, new_dir, new_path, flags));
}

int32_t lx_renameat2(int32_t old_dir, const char *old_path, int32_t new_dir, const char *new_path, uint32_t flags) {
  return RESULT(renameat2(old_dir, old_path, new_dir, new_path, flags));
}

int64_t lx_readlinkat(int32_t dir, const char *path, char *out, uint64_t size) {
  return RESULT(readlinkat(dir, path, out, size));
}

int32_t lx_chownat(int32_t dir, const char *path, uint32_t uid, uint32_t gid) {
  return RESULT(fchownat(dir, path, uid, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));
}

// The path of `path` in the directory `dir` (or of `dir` itself) that works for O_PATH descriptors too.
static const char *proc_path(char *out, size_t size, int32_t dir, const char *path) {
  if (dir == AT_FDCWD) return path;
  snprintf(out, size, path[0] ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", dir, path);
  return out;
}

enum { PROC_PATH_BYTES = 4096 + 32 };

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#define NR_SETXATTRAT 463
#define NR_GETXATTRAT 464
#define NR_LISTXATTRAT 465
#define NR_REMOVEXATTRAT 466

struct lx_xattr_args {
  uint64_t value __attribute__((aligned(8)));
  uint32_t size;
  uint32_t flags;
};

// Set once a kernel has answered ENOSYS (or a seccomp filter EPERM to a call that cannot be refused).
static atomic_bool no_fchmodat2;
static atomic_bool no_xattrat;

int32_t lx_chmodat(int32_t dir, const char *path, uint32_t mode) {
  if (!atomic_load_explicit(&no_fchmodat2, memory_order_relaxed)) {
    long result = syscall(SYS_fchmodat2, dir, path, mode, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
    if (result == 0) return 0;
    if (errno != ENOSYS) return -errno;
    atomic_store_explicit(&no_fchmodat2, 1, memory_order_relaxed);
  }
  // chmod(2) follows a link: it is given what the name stands for, held open.
  int file = path[0] ? openat(dir, path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : dir;
  if (file < 0) return -errno;
  char buffer[PROC_PATH_BYTES];
  struct stat status;
  int32_t result = path[0] && fstat(file, &status) == 0 && S_ISLNK(status.st_mode)
                       ? -EOPNOTSUPP
                       : RESULT(chmod(proc_path(buffer, sizeof buffer, file, ""), mode));
  if (path[0]) close(file);
  return result;
}

int32_t lx_utimensat(int32_t dir, const char *path, const struct timespec times[2]) {
  if (path[0]) return RESULT(utimensat(dir, path, times, AT_SYMLINK_NOFOLLOW));
  return RESULT(utimensat(dir, "", times, AT_EMPTY_PATH));
}

int32_t lx_fchmod(int32_t fd, uint32_t mode) { return RESULT(fchmod(fd, mode)); }
int32_t lx_ftruncate(int32_t fd, int64_t size) { return RESULT(ftruncate(fd, size)); }
int32_t lx_futimens(int32_t fd, const struct timespec times[2]) { return RESULT(futimens(fd, times)); }
int32_t lx_fsync(int32_t fd, int32_t data_only) { return data_only ? RESULT(fdatasync(fd)) : RESULT(fsync(fd)); }

int64_t lx_getdents64(int32_t fd, void *buffer, uint64_t size) {
  return RESULT(syscall(SYS_getdents64, fd, buffer, size));
}

int64_t lx_lseek(int32_t fd, int64_t offset, int32_t whence) { return RESULT(lseek(fd, offset, whence)); }

int64_t lx_pread(int32_t fd, void *buffer, uint64_t size, int64_t offset) {
  return RESULT(pread(fd, buffer, size, offset));
}

int64_t lx_pread_nowait(int32_t fd, void *buffer, uint64_t size, int64_t offset) {
  struct iovec part = {buffer, size};
  return RESULT(preadv2(fd, &part, 1, offset, RWF_NOWAIT));
}

int64_t lx_pwrite(int32_t fd, const void *buffer, uint64_t size, int64_t offset) {
  return RESULT(pwrite(fd, buffer, size, offset));
}

int64_t lx_append(int32_t fd, const void *buffer, uint64_t size) {
  struct iovec part = {(void *)buffer, size};
  return RESULT(pwritev2(fd, &part, 1, 0, RWF_APPEND));
}

int32_t lx_fallocate(int32_t fd, int32_t mode, int64_t offset, int64_t size) {
  return RESULT(fallocate(fd, mode, offset, size));
}

int64_t lx_copy_file_range(int32_t from, int64_t *from_offset, int32_t to, int64_t *to_offset, uint64_t size) {
  return RESULT(copy_file_range(from, from_offset, to, to_offset, size, 0));
}

// Calls `number` of the *xattrat family with what it takes behind its flags; -ENOSYS where this kernel has none.
static int64_t xattrat(long number, int32_t dir, const char *path, const void *first, uintptr_t second, size_t third) {
  // With an empty path these calls refuse an O_PATH descriptor (EBADF).
  if (!path[0] || atomic_load_explicit(&no_xattrat, memory_order_relaxed)) return -ENOSYS;
  int64_t result = syscall(number, dir, path, AT_SYMLINK_NOFOLLOW, first, second, third);
  if (result >= 0) return result;
  if (errno == ENOSYS) atomic_store_explicit(&no_xattrat, 1, memory_order_relaxed);
  return -errno;
}

// Whether a call on the descriptor itself has said all: not so of an O_PATH descriptor, which it refuses.
#define SAYS_ALL(path, result) (!(path)[0] && (result) != -EBADF)

int64_t lx_getxattrat(int32_t dir, const char *path, const char *name, void *value, uint64_t size) {
  int64_t own = path[0] ? 0 : RESULT(fgetxattr(dir, name, value, size));
  if (SAYS_ALL(path, own)) return own;
  struct lx_xattr_args args = {(uintptr_t)value, (uint32_t)size, 0};
  int64_t result = xattrat(NR_GETXATTRAT, dir, path, name, (uintptr_t)&args, sizeof args);
  if (result != -ENOSYS) return result;
  char buffer[PROC_PATH_BYTES];
  const char *whole = proc_path(buffer, sizeof buffer, dir, path);
  return path[0] ? RESULT(lgetxattr(whole, name, value, size)) : RESULT(getxattr(whole, name, value, size));
}

int32_t lx_setxattrat(int32_t dir, const char *path, const char *name, const void *value, uint64_t size, int32_t flags) {
  int32_t own = path[0] ? 0 : RESULT(fsetxattr(dir, name, value, size, flags));
  if (SAYS_ALL(path, own)) return own;
  struct lx_xattr_args args = {(uintptr_t)value, (uint32_t)size, (uint32_t)flags};
  int64_t result = xattrat(NR_SETXATTRAT, dir, path, name, (uintptr_t)&args, sizeof args);
  if (result != -ENOSYS) return (int32_t)result;
  char buffer[PROC_PATH_BYTES];
  const char *whole = proc_path(buffer, sizeof buffer, dir, path);
  return path[0] ? RESULT(lsetxattr(whole, name, value, size, flags))
                 : RESULT(setxattr(whole, name, value, size, flags));
}

int64_t lx_listxattrat(int32_t dir, const char *path, char *list, uint64_t size) {
  int64_t own = path[0] ? 0 : RESULT(flistxattr(dir, list, size));
  if (SAYS_ALL(path, own)) return own;
  int64_t result = xattrat(NR_LISTXATTRAT, dir, path, list, size, 0);
  if (result != -ENOSYS) return result;
  char buffer[PROC_PATH_BYTES];
  const char *whole = proc_path(buffer, sizeof buffer, dir, path);
  return path[0] ? RESULT(llistxattr(whole, list, size)) : RESULT(listxattr(whole, list, size));
}

int32_t lx_removexattrat(int32_t dir, const char *path, const char *name) {
  int32_t own = path[0] ? 0 : RESULT(fremovexattr(dir, name));
  if (SAYS_ALL(path, own)) return own;
  int64_t result = xattrat(NR_REMOVEXATTRAT, dir, path, name, 0, 0);
  if (result != -ENOSYS) return (int32_t)result;
  char buffer[PROC_PATH_BYTES];
  const char *whole = proc_path(buffer, sizeof buffer, dir, path);
  return path[0] ? RESULT(lremovexattr(whole, name)) : RESULT(removexattr(whole, name));
}

static _Thread_local void *thread_value;

void *lx_thread_value(void) { return thread_value; }
void lx_set_thread_value(void *value) { thread_value = value; }

void *lx_map_reserved(uint64_t size) {
  void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? NULL : start;
}

void lx_unmap(void *start, uint64_t size) { munmap(start, size); }

int64_t lx_read(int32_t fd, void *buffer, uint64_t size) { return RESULT(read(fd, buffer, size)); }

int64_t lx_writev(int32_t fd, const struct iovec *parts, int32_t count) { return RESULT(writev(fd, parts, count)); }

int64_t lx_splice(int32_t from, int32_t to, uint64_t size, uint32_t flags) {
  return RESULT(splice(from, NULL, to, NULL, size, flags));
}

void lx_set_errno(int32_t value) { errno = value; }

void lx_keep_heap_together(void) { mallopt(M_ARENA_MAX, 1); }
void lx_keep_memory_private(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
void lx_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int32_t lx_link_descriptor(int32_t fd, int32_t new_dir, const char *new_path) {
  char buffer[64];
  return RESULT(linkat(AT_FDCWD, proc_path(buffer, sizeof buffer, fd, ""), new_dir, new_path, AT_SYMLINK_FOLLOW));
}

int32_t lx_reopen(int32_t fd, int32_t flags) {
  char buffer[64];
  return RESULT(open(proc_path(buffer, sizeof buffer, fd, ""), flags | O_CLOEXEC));
}

static int64_t now_nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t lx_realtime_nanoseconds(void) { return now_nanoseconds(CLOCK_REALTIME); }
int64_t lx_monotonic_nanoseconds(void) { return now_nanoseconds(CLOCK_MONOTONIC); }
int64_t lx_boottime_nanoseconds(void) { return now_nanoseconds(CLOCK_BOOTTIME); }

int32_t lx_getpid(void) { return getpid(); }

int32_t lx_is_process(int32_t thread) {
  // Signal 0 is none. EPERM: it is there, and another user's.
  return tgkill(thread, thread, 0) == 0 || errno == EPERM;
}

int32_t lx_start_writeback(int32_t fd) { return RESULT(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE)); }
int32_t lx_syncfs(int32_t fd) { return RESULT(syncfs(fd)); }

int32_t lx_openat_following_beneath(int32_t dir, const char *path, int32_t flags) {
  return open_within(dir, path, flags, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
}
