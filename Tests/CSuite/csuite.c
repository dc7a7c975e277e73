#define _GNU_SOURCE
#include "csuite.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define RESULT(call) ({ __typeof__(call) r_ = (call); r_ < 0 ? -errno : r_; })

const int32_t lx_falloc_collapse_range = FALLOC_FL_COLLAPSE_RANGE;
const int32_t lx_falloc_insert_range = FALLOC_FL_INSERT_RANGE;
const int32_t lx_falloc_unshare_range = FALLOC_FL_UNSHARE_RANGE;
const uint32_t lx_rename_whiteout = RENAME_WHITEOUT;
const int32_t lx_f_getlk = F_GETLK;
const int32_t lx_f_setlk = F_SETLK;
const int32_t lx_f_setlkw = F_SETLKW;
const int32_t lx_f_ofd_getlk = F_OFD_GETLK;
const int32_t lx_f_ofd_setlk = F_OFD_SETLK;

const char *lx_errno_name(int32_t number) { return strerrorname_np(number); }

int32_t lx_unshare_fs(void) { return RESULT(unshare(CLONE_FS)); }

int32_t lx_thread_become(uint32_t uid, uint32_t gid, const uint32_t *groups, uint64_t count) {
  // Raw calls: glibc's own change every thread of the process.
  if (syscall(SYS_setgroups, count, groups) < 0) return -errno;
  if (syscall(SYS_setresgid, gid, gid, 0) < 0) return -errno;
  if (syscall(SYS_setresuid, uid, uid, 0) < 0) return -errno;
  return 0;
}

int32_t lx_thread_become_root(void) {
  if (syscall(SYS_setresuid, 0, 0, 0) < 0) return -errno;
  if (syscall(SYS_setresgid, 0, 0, 0) < 0) return -errno;
  return RESULT((int32_t)syscall(SYS_setgroups, 0, NULL));
}

int32_t lx_process_become(uint32_t uid, uint32_t gid) {
  if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) return -errno;
  // A process that changed its uid may not open its own /proc/self/fd otherwise.
  return RESULT(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

int32_t lx_fork(void) {
  pid_t pid = fork();
  if (pid < 0) return -errno;
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Default again: the Swift runtime's crash handler would print and wait.
    const int fatal[] = {SIGBUS, SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
    for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
  }
  return pid;
}

int32_t lx_wait_status(int32_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

const char *lx_signal_name(int32_t number) { return sigabbrev_np(number); }

int32_t lx_lock(int32_t fd, int32_t command, int16_t *type, int64_t *start, int64_t *length) {
  struct flock lock = {.l_type = *type, .l_whence = SEEK_SET, .l_start = *start, .l_len = *length};
  if (fcntl(fd, command, &lock) < 0) return -errno;
  *type = lock.l_type, *start = lock.l_start, *length = lock.l_len;
  return 0;
}

int32_t lx_set_lease(int32_t fd, int32_t type) { return RESULT(fcntl(fd, F_SETLEASE, type)); }

int32_t lx_get_inode_flags(int32_t fd, int32_t *out) { return RESULT(ioctl(fd, FS_IOC_GETFLAGS, out)); }

int32_t lx_count_extents(int32_t fd) {
  struct fiemap map = {.fm_length = ~0ULL, .fm_flags = FIEMAP_FLAG_SYNC};
  return ioctl(fd, FS_IOC_FIEMAP, &map) < 0 ? -errno : (int32_t)map.fm_mapped_extents;
}

int32_t lx_sync_file_range(int32_t fd) {
  const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  return RESULT(sync_file_range(fd, 0, 0, all));
}

int32_t lx_faccessat(const char *path, int32_t mode, int32_t effective, int32_t no_follow) {
  int flags = (effective ? AT_EACCESS : 0) | (no_follow ? AT_SYMLINK_NOFOLLOW : 0);
#ifdef SYS_faccessat2
  return RESULT((int32_t)syscall(SYS_faccessat2, AT_FDCWD, path, mode, flags));
#else
  return RESULT(faccessat(AT_FDCWD, path, mode, flags));
#endif
}
