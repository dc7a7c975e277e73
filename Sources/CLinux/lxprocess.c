#define _GNU_SOURCE
#include "lxprocess.h"
#include "lxrights.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <linux/capability.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PASSED = 16, CLEAR_OF_TARGETS = 64, NOT_STARTED = 127 };

int32_t lx_spawn_as(
    const char *path, char *const argv[], char *const environment[], const int32_t *fds, uint32_t count,
    uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t group_count) {
  if (count > MOST_PASSED) return -EINVAL;
  if (geteuid() != 0) return -EPERM;
  pid_t pid = fork();
  if (pid != 0) return pid < 0 ? -errno : pid;
  // Other threads may have held any lock: from here on there are only system calls. What this process holds of its
  // maker's memory nobody else may look at, for it has changed its user.
  if (lx_thread_become_for_good(uid, gid, groups, group_count) < 0) _exit(NOT_STARTED);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int copies[MOST_PASSED];
  for (uint32_t i = 0; i < count; i++) copies[i] = fcntl(fds[i], F_DUPFD, CLEAR_OF_TARGETS);
  for (uint32_t i = 0; i < count; i++)
    if (dup2(copies[i], (int)i) < 0) _exit(NOT_STARTED);
  if (close_range(count, ~0u, 0) == 0) execve(path, argv, environment);
  _exit(NOT_STARTED);
}

int32_t lx_spawn(
    const char *path, char *const argv[], char *const environment[], const int32_t *fds, uint32_t count,
    int32_t own_session) {
  if (count > MOST_PASSED) return -EINVAL;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none), sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  if (own_session) {
    flags |= POSIX_SPAWN_SETSID;
    posix_spawn_file_actions_addchdir_np(&actions, "/");
  }
  posix_spawnattr_setflags(&attributes, flags);
  // Copies above every target number, so that no dup2 overwrites a source that is still wanted.
  int copies[MOST_PASSED], made = 0, error = 0;
  for (; made < (int)count && !error; made++) {
    copies[made] = fcntl(fds[made], F_DUPFD_CLOEXEC, CLEAR_OF_TARGETS);
    if (copies[made] < 0) {
      error = errno;
      break;
    }
    posix_spawn_file_actions_adddup2(&actions, copies[made], made);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, (int)count);
  pid_t pid = -1;
  if (!error) error = posix_spawn(&pid, path, &actions, &attributes, argv, environment);
  for (int i = 0; i < made; i++) close(copies[i]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error ? -error : pid;
}

int32_t lx_wait_child(int32_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int32_t lx_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ? -errno : 0; }

int32_t lx_process(int32_t pid) {
  long fd = syscall(SYS_pidfd_open, pid, 0);
  return fd < 0 ? -errno : (int32_t)fd;
}

int32_t lx_open_terminal(int32_t out[2]) {
  const int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  int master = posix_openpt(flags);
  if (master < 0) return -errno;
  // The other end by the master, not by a path, which another file system may have.
  int slave = grantpt(master) < 0 || unlockpt(master) < 0 ? -1 : ioctl(master, TIOCGPTPEER, flags);
  if (slave < 0) {
    int error = errno;
    close(master);
    return -error;
  }
  out[0] = master, out[1] = slave;
  return 0;
}

int32_t lx_grow_descriptor_table(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  struct rlimit raised = {limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  // What setrlimit said counts, not what was asked for; and a larger table would only cost kernel memory.
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  int most = limit.rlim_cur > 262144 ? 262144 : (int)limit.rlim_cur;
  int source = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (source < 0) return -errno;
  int high = fcntl(source, F_DUPFD_CLOEXEC, most - 1);
  if (high >= 0) close(high);
  close(source);
  return most;
}

struct build_id {
  uint8_t *out;
  uint32_t capacity, size;
};

static void read_notes(struct build_id *found, const char *at, size_t size) {
  const char *end = at + size;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const ElfW(Nhdr) *note = (const void *)at;
    const char *name = at + sizeof *note;
    const char *value = name + ((note->n_namesz + 3) & ~3u);
    const char *next = value + ((note->n_descsz + 3) & ~3u);
    if (next > end) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      found->size = note->n_descsz < found->capacity ? note->n_descsz : found->capacity;
      memcpy(found->out, value, found->size);
      return;
    }
    at = next;
  }
}

// The first object that dl_iterate_phdr names is the executable itself.
static int first_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      read_notes(context, (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz);
  return 1;
}

int32_t lx_build_id(uint8_t *out, uint32_t capacity) {
  struct build_id found = {out, capacity, 0};
  dl_iterate_phdr(first_object, &found);
  return (int32_t)found.size;
}

static _Thread_local int32_t lock_rank;
int32_t lx_lock_rank(void) { return lock_rank; }
void lx_set_lock_rank(int32_t rank) { lock_rank = rank; }

uint32_t lx_effective_uid(void) { return geteuid(); }
uint32_t lx_effective_gid(void) { return getegid(); }

int32_t lx_user(uint32_t uid, char *home, uint32_t capacity, uint32_t *gid) {
  struct passwd entry, *found = NULL;
  char text[4096];
  int error = getpwuid_r(uid, &entry, text, sizeof text, &found);
  if (error) return -error;
  if (!found) return -ENOENT;
  if (strlen(found->pw_dir) >= capacity) return -ERANGE;
  strcpy(home, found->pw_dir);
  *gid = found->pw_gid;
  return 0;
}

int32_t lx_groups(uint32_t uid, uint32_t gid, uint32_t *out, uint32_t capacity) {
  struct passwd entry, *found = NULL;
  char text[4096];
  if (capacity == 0) return 0;
  out[0] = gid;
  if (getpwuid_r(uid, &entry, text, sizeof text, &found) || !found) return 1;
  int count = (int)capacity;
  // -1 where there are more: then those that there is room for count.
  if (getgrouplist(found->pw_name, gid, out, &count) < 0) count = (int)capacity;
  return count;
}

static int has_only_groups(const uint32_t *groups, uint32_t count) {
  int now = getgroups(0, NULL);
  if (now < 0 || (uint32_t)now > count) return 0;
  gid_t *in_force = malloc((now ? now : 1) * sizeof *in_force);
  int is_so = in_force && getgroups(now, in_force) == now;
  for (int i = 0; is_so && i < now; i++) {
    uint32_t at = 0;
    while (at < count && groups[at] != in_force[i]) at++;
    is_so = at < count;
  }
  free(in_force);
  return is_so;
}

// Whether this process is that user and nobody else, with no way back to root.
static int is_user(uint32_t uid, uint32_t gid) {
  uid_t real, effective, saved;
  gid_t real_group, effective_group, saved_group;
  if (getresuid(&real, &effective, &saved) < 0 || getresgid(&real_group, &effective_group, &saved_group) < 0) return 0;
  if (real != uid || effective != uid || saved != uid) return 0;
  if (real_group != gid || effective_group != gid || saved_group != gid) return 0;
  return uid == 0 || setresuid((uid_t)-1, 0, (uid_t)-1) < 0;
}

// Capabilities that would outlive the change of user, by secure bits or as ambient ones.
static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0}}, now[2];
  if (syscall(SYS_capset, &header, none) < 0 || syscall(SYS_capget, &header, now) < 0) return 0;
  return memcmp(none, now, sizeof none) == 0;
}

// Whoever else is that user may trace this process and what it starts, and would type into root's terminal with
// them. One that leads its session takes the terminal with it when it ends: nobody reads there afterwards.
static int leave_terminal(void) {
  if (getsid(0) == getpid()) return 1;
  int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  int is_left = terminal < 0 ? errno == ENXIO || errno == ENOENT : ioctl(terminal, TIOCNOTTY) == 0;
  if (terminal >= 0) close(terminal);
  return is_left;
}

int32_t lx_become(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count) {
  if (uid != geteuid() && !leave_terminal()) return -EPERM;
  lx_forget_ids();
  if (setgroups(count, groups) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) return -errno;
  if (uid != 0 && !drop_capabilities()) return -EPERM;
  return has_only_groups(groups, count) && is_user(uid, gid) ? 0 : -EPERM;
}

int32_t lx_is_ordinary(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct has[2];
  if (geteuid() == 0 || getuid() != geteuid() || syscall(SYS_capget, &header, has) < 0) return 0;
  return (has[0].permitted | has[1].permitted) == 0;
}

int32_t lx_kernel_is_at_least(uint32_t major, uint32_t minor) {
  struct utsname name;
  uint32_t has_major = 0, has_minor = 0;
  if (uname(&name) < 0 || sscanf(name.release, "%u.%u", &has_major, &has_minor) != 2) return 0;
  return has_major > major || (has_major == major && has_minor >= minor);
}

int32_t lx_memory_file(void) {
  int fd = memfd_create("apphome", MFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int32_t lx_thread_become_for_good(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count) {
  lx_forget_ids();
  // glibc's functions would change every thread of the process.
  if (syscall(SYS_setgroups, count, groups) < 0 || syscall(SYS_setresgid, gid, gid, gid) < 0 ||
      syscall(SYS_setresuid, uid, uid, uid) < 0)
    return -errno;
  return 0;
}

int32_t lx_set_umask(uint32_t mask) { return (int32_t)umask(mask); }
void lx_trim_heap(void) { malloc_trim(0); }
