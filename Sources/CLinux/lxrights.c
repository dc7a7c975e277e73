#define _GNU_SOURCE
#include "lxrights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

// What every thread of the process begins with. Written once, while there is one thread.
static struct {
  int is_set, works_for_another;
  uint32_t uid, gid, count;
  uint32_t *groups;
} process;

// What this thread has, by what it last set or asked: only functions of this file change it.
static _Thread_local struct {
  int is_known;
  uint32_t uid, gid;
} thread;

// They report no failure: asking for an impossible id tells what is in force.
static void ask_for_ids(void) {
  thread.uid = (uint32_t)setfsuid((uid_t)-1), thread.gid = (uint32_t)setfsgid((gid_t)-1);
  thread.is_known = 1;
}

static void set_file_uid(uint32_t uid) {
  if (lx_file_uid() == uid) return;
  setfsuid(uid);
  thread.uid = (uint32_t)setfsuid((uid_t)-1);
}

static void set_file_gid(uint32_t gid) {
  if (lx_file_gid() == gid) return;
  setfsgid(gid);
  thread.gid = (uint32_t)setfsgid((gid_t)-1);
}

uint32_t lx_file_uid(void) {
  if (!thread.is_known) ask_for_ids();
  return thread.uid;
}

uint32_t lx_file_gid(void) {
  if (!thread.is_known) ask_for_ids();
  return thread.gid;
}

void lx_forget_ids(void) { thread.is_known = 0; }

// glibc's setgroups changes every thread; the raw call, as setfsuid and setfsgid do, changes only this one.
static int set_groups(uint32_t count, const uint32_t *groups) { return (int)syscall(SYS_setgroups, count, groups); }

// Raises or drops capabilities in this thread, as far as the process has them. Returns those it had of them, or -1.
static int64_t change_capabilities(uint32_t bits, int does) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_capget, &header, sets) < 0) return -1;
  const uint32_t before = sets[0].effective;
  sets[0].effective = does ? before | (sets[0].permitted & bits) : before & ~bits;
  if (sets[0].effective != before && syscall(SYS_capset, &header, sets) < 0) return -1;
  return before & bits;
}

// What passes over permissions, and what keeps set-user-id and set-group-id.
static int pass_over_permissions(void) {
  const uint32_t bits = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FSETID;
  return change_capabilities(bits, 1) < 0 ? -1 : 0;
}

int32_t lx_administer(int32_t does) { return change_capabilities(1u << CAP_SYS_ADMIN, does) > 0; }

void lx_end_child(int32_t pid) {
  int had = change_capabilities(1u << CAP_KILL, 1) > 0;
  kill(pid, SIGKILL);
  if (!had) change_capabilities(1u << CAP_KILL, 0);
}

static int note_own(struct lx_own_rights *own, int with_groups) {
  *own = (struct lx_own_rights){.uid = lx_file_uid(), .gid = lx_file_gid()};
  if (!with_groups) return 0;
  int count = getgroups(0, NULL);
  if (count < 0) return -errno;
  own->groups = malloc((count ? count : 1) * sizeof *own->groups);
  if (!own->groups) return -ENOMEM;
  count = getgroups(count, own->groups);
  if (count < 0) {
    free(own->groups);
    return -EAGAIN;
  }
  own->count = (uint32_t)count;
  return 0;
}

// The group first: without root's rights it cannot be changed any more, nor can the user twice.
static int set_ids(uint32_t uid, uint32_t gid) {
  set_file_gid(gid);
  set_file_uid(uid);
  return lx_has_rights(uid, gid);
}

void lx_give_rights_back(struct lx_own_rights *own) {
  set_ids(own->uid, own->gid);
  if (own->administers) lx_administer(0);
  if (own->groups) set_groups(own->count, own->groups);
  free(own->groups);
  own->groups = NULL;
}

int32_t lx_lend_rights(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count, struct lx_own_rights *own) {
  if (lx_has_rights(uid, gid)) return 1;
  int result = note_own(own, 1);
  if (result < 0) return result;
  if (set_groups(count, groups) < 0) {
    result = -errno;
    free(own->groups);
    return result;
  }
  if (set_ids(uid, gid)) return 0;
  lx_give_rights_back(own);
  return -EPERM;
}

int32_t lx_lend_root(int32_t administers, struct lx_own_rights *own) {
  if (lx_file_uid() == 0 && !administers) return 1;
  note_own(own, 0);
  // The capabilities that pass over permissions come and go with the user 0 (capabilities(7)).
  set_file_uid(0);
  if (lx_file_uid() != 0) return -EPERM;
  own->administers = administers && !lx_administer(1);
  return 0;
}

int32_t lx_lend_making(uint32_t uid, uint32_t gid, struct lx_own_rights *own) {
  if (lx_has_rights(uid, gid)) return 1;
  note_own(own, 0);
  if (own->uid == uid) {
    // Root's capability would let it act as any group, and whose folder it is may have one of another's.
    if (uid != 0 && !group_member(gid)) return 1;
    set_file_gid(gid);
    return lx_file_gid() != gid;
  }
  if (own->uid != 0) return -EPERM;
  if (set_ids(uid, gid) && (uid == 0 || pass_over_permissions() == 0)) return 0;
  set_ids(own->uid, own->gid);
  return -EPERM;
}

// What is left of root for what the daemon does as root: other users' rights and its own, mounts, leases.
static int keep_needed_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_capget, &header, sets) < 0) return 0;
  const uint32_t kept = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER |
                        1u << CAP_FSETID | 1u << CAP_SETGID | 1u << CAP_SETUID | 1u << CAP_SYS_ADMIN |
                        1u << CAP_SYS_NICE | 1u << CAP_LEASE;
  sets[0].effective &= kept, sets[0].permitted &= kept | 1u << CAP_KILL, sets[0].inheritable = 0;
  sets[1].effective = sets[1].permitted = sets[1].inheritable = 0;
  return syscall(SYS_capset, &header, sets) == 0;
}

int32_t lx_set_process_rights(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count) {
  uint32_t *copy = malloc((count ? count : 1) * sizeof *copy);
  if (!copy) return -ENOMEM;
  for (uint32_t i = 0; i < count; i++) copy[i] = groups[i];
  if (set_groups(count, copy) < 0) {
    int error = errno;
    free(copy);
    return -error;
  }
  if (!set_ids(uid, gid)) return -EPERM;
  // It would set trusted and security attributes for whoever is served.
  if (uid != 0) lx_administer(0);
  if (!keep_needed_capabilities()) return -EPERM;
  process.uid = uid, process.gid = gid, process.count = count, process.groups = copy;
  process.is_set = 1;
  process.works_for_another = uid != 0 && geteuid() == 0;
  return 0;
}

void lx_take_process_rights(void) {
  if (!process.is_set) return;
  // Where it was made by one that makes things for somebody, or was lent root's rights.
  set_ids(0, process.gid);
  set_groups(process.count, process.groups);
  set_ids(process.uid, process.gid);
  if (process.uid != 0) lx_administer(0);
}

int32_t lx_has_process_rights(void) { return !process.is_set || lx_has_rights(process.uid, process.gid); }
int32_t lx_works_for_another(void) { return process.works_for_another; }
int32_t lx_has_rights(uint32_t uid, uint32_t gid) { return lx_file_uid() == uid && lx_file_gid() == gid; }
