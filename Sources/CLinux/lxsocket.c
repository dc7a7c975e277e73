#define _GNU_SOURCE
#include "lxsocket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define RESULT(call) ({ __typeof__(call) r_ = (call); r_ < 0 ? -errno : r_; })

const uint64_t lx_ms_nosuid = MS_NOSUID, lx_ms_nodev = MS_NODEV, lx_ms_rdonly = MS_RDONLY,
               lx_ms_noexec = MS_NOEXEC, lx_ms_nosymfollow = 256;  // Since Linux 5.10; not in all headers.
const int32_t lx_mnt_force = MNT_FORCE, lx_mnt_detach = MNT_DETACH, lx_umount_nofollow = UMOUNT_NOFOLLOW;

static int unix_address(struct sockaddr_un *address, int32_t dir, const char *name) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  int size = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", dir, name);
  return size < (int)sizeof address->sun_path ? 0 : -ENAMETOOLONG;
}

int32_t lx_unix_listen(int32_t dir, const char *name) {
  struct sockaddr_un address;
  int failure = unix_address(&address, dir, name);
  if (failure) return failure;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  // Until listen() nobody can connect, so the mode is right before anybody tries.
  int bad = bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || fchmodat(dir, name, 0600, 0) < 0 ||
            listen(fd, 64) < 0;
  if (!bad) return fd;
  int error = errno;
  close(fd);
  return -error;
}

int32_t lx_unix_connect(int32_t dir, const char *name) {
  // Held open: connect(2) would follow a link to another socket.
  int file = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return -errno;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", file);
  struct stat status;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), error = 0;
  if (fd < 0 || fstat(file, &status) < 0)
    error = errno;
  else if (!S_ISSOCK(status.st_mode))
    error = ECONNREFUSED;
  else if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
    error = errno;
  close(file);
  if (!error) return fd;
  if (fd >= 0) close(fd);
  return -error;
}

int32_t lx_socketpair(int32_t out[2]) { return RESULT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out)); }

int32_t lx_accept(int32_t listener) {
  return RESULT(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int32_t lx_shutdown_sending(int32_t fd) { return RESULT(shutdown(fd, SHUT_WR)); }

int32_t lx_peer(int32_t fd, int32_t *pid, uint32_t *uid, uint32_t *gid) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
  *pid = peer.pid, *uid = peer.uid, *gid = peer.gid;
  return 0;
}

// The kernel carries at most SCM_MAX_FD (253) descriptors in one message.
enum { MOST_DESCRIPTORS = 253 };

typedef union {
  struct cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
} control_buffer;

int64_t lx_send(int32_t fd, const void *bytes, uint64_t size, const int32_t *fds, uint32_t count) {
  if (count > MOST_DESCRIPTORS) return -EINVAL;
  struct iovec part = {(void *)bytes, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  control_buffer control;
  if (count) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  }
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  int64_t sent = RESULT(sendmsg(fd, &message, flags));
  struct rlimit own;
  if (sent != -ETOOMANYREFS || getrlimit(RLIMIT_NOFILE, &own) < 0) return sent;
  // This user's processes have as many descriptors on their way as this one may have open now.
  struct rlimit most = {own.rlim_max, own.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &most) == 0) sent = RESULT(sendmsg(fd, &message, flags));
  setrlimit(RLIMIT_NOFILE, &own);
  return sent;
}

int64_t lx_receive(int32_t fd, void *bytes, uint64_t size, int32_t *fds, uint32_t capacity, uint32_t *count) {
  struct iovec part = {bytes, size};
  control_buffer control;
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control};
  *count = 0;
  ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0) return -errno;
  uint32_t seen = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    size_t number = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < number; i++) {
      int passed;
      memcpy(&passed, CMSG_DATA(c) + i * sizeof(int), sizeof passed);
      if (seen < capacity) fds[seen++] = passed;
      else close(passed), seen = capacity + 1;
    }
  }
  *count = seen;
  return got;
}

int32_t lx_wait(const int32_t *fds, uint32_t count, int32_t writable, int32_t timeout_ms) {
  struct pollfd polled[31];
  if (count > 31) return -EINVAL;
  for (uint32_t i = 0; i < count; i++) polled[i] = (struct pollfd){fds[i], writable ? POLLOUT : POLLIN, 0};
  int ready = poll(polled, count, timeout_ms);
  if (ready < 0) return -errno;
  int32_t mask = 0;
  for (uint32_t i = 0; i < count; i++) mask |= (polled[i].revents != 0) << i;
  return mask;
}

int32_t lx_epoll(void) { return RESULT(epoll_create1(EPOLL_CLOEXEC)); }

int32_t lx_epoll_set(int32_t epoll, int32_t fd, uint64_t token, int32_t writable, int32_t is_new) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (writable ? EPOLLOUT : 0), .data = {.u64 = token}};
  return RESULT(epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event));
}

int32_t lx_epoll_remove(int32_t epoll, int32_t fd) { return RESULT(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL)); }

int32_t lx_epoll_wait(int32_t epoll, uint64_t *tokens, int32_t *readable, uint32_t capacity, int32_t timeout_ms) {
  struct epoll_event events[64];
  int count = epoll_wait(epoll, events, capacity < 64 ? (int)capacity : 64, timeout_ms);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    tokens[i] = events[i].data.u64;
    readable[i] = (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  }
  return count;
}

int32_t lx_set_send_buffer(int32_t fd, int32_t bytes) {
  return RESULT(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
}

int32_t lx_eventfd(void) { return RESULT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
int32_t lx_pipe(int32_t out[2]) { return RESULT(pipe2(out, O_CLOEXEC)); }

int32_t lx_signals(const int32_t *signals, uint32_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (uint32_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error) return -error;
  return RESULT(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void lx_unblock_signals(const int32_t *signals, uint32_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (uint32_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int32_t lx_next_signal(int32_t fd, int32_t *is_from_kernel) {
  struct signalfd_siginfo info;
  if (read(fd, &info, sizeof info) != (ssize_t)sizeof info) return 0;
  *is_from_kernel = info.ssi_code == SI_KERNEL;
  return (int32_t)info.ssi_signo;
}

void lx_ignore_signal(int32_t number) { signal(number, SIG_IGN); }
int64_t lx_write(int32_t fd, const void *bytes, uint64_t size) { return RESULT(write(fd, bytes, size)); }

// As the kernel has them: glibc's <sys/mount.h> and <linux/mount.h> cannot be included together everywhere.
struct mount_change {
  uint64_t set, clear, propagation, user_namespace;
};
enum { change_rdonly = 0x1, change_nosuid = 0x2, change_nodev = 0x4, change_noatime = 0x10, change_all_atime = 0x70 };
enum { clone_tree = 1 };

int32_t lx_mount_for_reading(int32_t directory) {
  const unsigned flags = AT_EMPTY_PATH;
  int32_t own = (int32_t)RESULT(syscall(SYS_open_tree, directory, "", flags | clone_tree | O_CLOEXEC));
  if (own < 0) return own;
  struct mount_change change = {
      .set = change_rdonly | change_nosuid | change_nodev | change_noatime, .clear = change_all_atime};
  int32_t result = (int32_t)RESULT(syscall(SYS_mount_setattr, own, "", flags, &change, sizeof change));
  // What is open for its path alone can be neither listed nor locked.
  if (result == 0) result = (int32_t)RESULT(openat(own, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  close(own);
  return result;
}

int32_t lx_moves_no_access_time(int32_t fd) {
  struct statvfs status;
  if (fstatvfs(fd, &status) < 0) return -errno;
  return (status.f_flag & (ST_NOATIME | ST_RDONLY)) != 0;
}

int32_t lx_mount(const char *source, const char *target, const char *type, uint64_t flags, const char *data) {
  return RESULT(mount(source, target, type, flags, data));
}

int32_t lx_umount(const char *target, int32_t flags) { return RESULT(umount2(target, flags)); }
int32_t lx_flock(int32_t fd, int32_t wait) { return RESULT(flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB))); }
int32_t lx_flock_shared(int32_t fd) { return RESULT(flock(fd, LOCK_SH | LOCK_NB)); }
