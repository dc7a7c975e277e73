// Whose rights on files this thread has, for Swift.
//
// The kernel keeps them for each thread: a file system user and group (setfsuid(2)), supplementary groups, and the
// capabilities that pass over permissions. A new thread has those of its maker. As in clinux.h: every function returns
// its result (>= 0) or -errno.
#ifndef APPHOME_LXRIGHTS_H
#define APPHOME_LXRIGHTS_H

#include <stdint.h>

// What a thread had before it was lent other rights.
struct lx_own_rights {
  uint32_t uid, gid, count;
  // Whether CAP_SYS_ADMIN came with the rights.
  int32_t administers;
  // Allocated; NULL where the groups were left as they were.
  uint32_t *groups;
};

// Lends this thread the rights of uid:gid with those groups, and no capability that passes over permissions unless
// uid is 0. Returns 0 and fills `own`, for lx_give_rights_back; 1 where they are in force already, and nothing
// changes; -EPERM where this process may not lend them.
int32_t lx_lend_rights(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count, struct lx_own_rights *own);
// Lends this thread root's rights on files, with the groups that it has; for mounts CAP_SYS_ADMIN too. Returns as
// lx_lend_rights.
int32_t lx_lend_root(int32_t administers, struct lx_own_rights *own);
// Has what this thread makes belong to uid:gid, and passes over permissions as root does where it has root's rights.
// Returns as lx_lend_rights; 1 also where uid has the thread's rights and it may not act as that group.
int32_t lx_lend_making(uint32_t uid, uint32_t gid, struct lx_own_rights *own);
void lx_give_rights_back(struct lx_own_rights *own);

// Gives this process, which has one thread, those rights on files until it ends: every later thread begins with them.
// Of root's other rights it keeps what mounting, leases and lending take.
int32_t lx_set_process_rights(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count);
// Undoes what this thread was lent when it was made. For the first thing that a new thread does.
void lx_take_process_rights(void);

// Whether this thread has what lx_set_process_rights gave, or that was never called.
int32_t lx_has_process_rights(void);

// Raises or drops CAP_SYS_ADMIN in this thread, as far as the process has it. Returns whether the thread had it.
int32_t lx_administer(int32_t does);
// Kills a child that was not waited for yet, whosever it has become.
void lx_end_child(int32_t pid);

// Whether the process was given another user's rights, and its effective user is root.
int32_t lx_works_for_another(void);
// Whether this thread has the rights of that user and group.
int32_t lx_has_rights(uint32_t uid, uint32_t gid);
uint32_t lx_file_uid(void);
uint32_t lx_file_gid(void);
// To be called where this thread's ids were changed otherwise.
void lx_forget_ids(void);

#endif
