#define _GNU_SOURCE
#include "clinux.h"
#include "lxrights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

// struct fuse_backing_map and its calls (linux/fuse.h of Linux 6.9): older headers have neither.
struct backing_map {
  int32_t fd;
  uint32_t flags;
  uint64_t padding;
};

#define BACKING_OPEN _IOW(229, 1, struct backing_map)
#define BACKING_CLOSE _IOW(229, 2, uint32_t)

// Both take CAP_SYS_ADMIN, which a thread that works for somebody has only now. Others have it always, or never.
static int32_t administer(int32_t device, unsigned long call, void *argument) {
  int32_t had = lx_works_for_another() ? lx_administer(1) : 1;
  int result = ioctl(device, call, argument), error = errno;
  if (!had) lx_administer(0);
  return result < 0 ? -error : result;
}

int32_t lx_backing_open(int32_t device, int32_t fd) {
  struct backing_map map = {.fd = fd};
  return administer(device, BACKING_OPEN, &map);
}

int32_t lx_backing_close(int32_t device, int32_t backing) {
  uint32_t number = (uint32_t)backing;
  int32_t result = administer(device, BACKING_CLOSE, &number);
  return result < 0 ? result : 0;
}

int32_t lx_fuse_abort(uint32_t connection) {
  // The control files by a mount of their own that nobody else sees: /sys may not have them.
  int result = -1, context = -1, root = -1, file = -1, error;
  int32_t had = lx_administer(1);
  char path[64];
  snprintf(path, sizeof path, "%u/abort", connection);
  if ((context = fsopen("fusectl", FSOPEN_CLOEXEC)) >= 0 && fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0 &&
      (root = fsmount(context, FSMOUNT_CLOEXEC, 0)) >= 0 && (file = openat(root, path, O_WRONLY | O_CLOEXEC)) >= 0)
    result = write(file, "1", 1) == 1 ? 0 : -1;
  error = errno;
  if (result < 0) {
    // Whose mount it is needs no other rights.
    snprintf(path, sizeof path, "/sys/fs/fuse/connections/%u/abort", connection);
    int own = open(path, O_WRONLY | O_CLOEXEC);
    if (own >= 0 && write(own, "1", 1) == 1) result = 0;
    if (own >= 0) close(own);
  }
  if (file >= 0) close(file);
  if (root >= 0) close(root);
  if (context >= 0) close(context);
  if (!had) lx_administer(0);
  return result < 0 ? -error : 0;
}

static int32_t has_capability(int capability) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, data) < 0) return 0;
  return (data[CAP_TO_INDEX(capability)].permitted & CAP_TO_MASK(capability)) != 0;
}

int32_t lx_may_administer(void) { return has_capability(CAP_SYS_ADMIN); }
int32_t lx_may_lease(void) { return has_capability(CAP_LEASE); }

static int32_t take_lease(int32_t fd, int kind) {
  // Who opens the file meanwhile has the holder signalled: by SIGIO, which ends a process, unless another is
  // chosen. SIGURG is ignored by default.
  if (fcntl(fd, F_SETSIG, SIGURG) < 0) return -errno;
  return fcntl(fd, F_SETLEASE, kind) < 0 ? -errno : 0;
}

int32_t lx_take_read_lease(int32_t fd) { return take_lease(fd, F_RDLCK); }
int32_t lx_take_write_lease(int32_t fd) { return take_lease(fd, F_WRLCK); }

void lx_give_lease_back(int32_t fd) { fcntl(fd, F_SETLEASE, F_UNLCK); }

static int32_t probe_lease(int32_t fd, int kind) {
  int32_t result = take_lease(fd, kind);
  if (result == 0) lx_give_lease_back(fd);
  return result;
}

int32_t lx_probe_read_lease(int32_t fd) { return probe_lease(fd, F_RDLCK); }
int32_t lx_probe_write_lease(int32_t fd) { return probe_lease(fd, F_WRLCK); }

static int32_t leases_tell(int32_t fd, int32_t reader) {
  const size_t size = 4096;
  int failure = ftruncate(fd, (off_t)size) < 0 ? errno : 0;
  // Mapped and never touched: a page of it that finds no room on the disk would end the process (SIGBUS).
  void *map = failure ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!failure && map == MAP_FAILED) failure = errno;
  close(fd);
  if (failure) return -failure;
  int32_t mapped = lx_probe_read_lease(reader);
  munmap(map, size);
  if (mapped != -EAGAIN) return mapped < 0 ? mapped : 0;
  int32_t unmapped = lx_probe_read_lease(reader);
  return unmapped < 0 ? unmapped : 1;
}

int32_t lx_leases_tell(int32_t fd) {
  int32_t reader = lx_reopen(fd, O_RDONLY);
  if (reader < 0) {
    close(fd);
    return reader;
  }
  int32_t result = leases_tell(fd, reader);
  close(reader);
  return result;
}
