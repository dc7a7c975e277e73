#define _GNU_SOURCE
#include "lxwatch.h"

#include <errno.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

int32_t lx_inotify(void) {
  int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int32_t lx_inotify_add(int32_t inotify, int32_t fd) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  uint32_t mask = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  int watch = inotify_add_watch(inotify, path, mask);
  return watch < 0 ? -errno : watch;
}

int32_t lx_inotify_drain(int32_t inotify) {
  _Alignas(struct inotify_event) char buffer[4096];
  int32_t gone = 0;
  for (;;) {
    ssize_t count = read(inotify, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? gone : -errno;
    for (char *at = buffer; at < buffer + count;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) gone = 1;
      at += sizeof *event + event->len;
    }
  }
}

int64_t lx_file_system_type(int32_t fd) {
  struct statfs details;
  if (fstatfs(fd, &details) < 0) return -errno;
  return (int64_t)((uint64_t)details.f_type & 0xffffffff);
}
