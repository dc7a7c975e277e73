// Kernel passthrough of FUSE, and leases that tell who writes a file.
#ifndef APPHOME_LXPASSTHROUGH_H
#define APPHOME_LXPASSTHROUGH_H

#include <stdint.h>

// Makes the file in `fd` known to the FUSE connection of `device`: a number above 0, or -errno.
int32_t lx_backing_open(int32_t device, int32_t fd);
int32_t lx_backing_close(int32_t device, int32_t backing);
// Ends the FUSE connection of that number, the minor one of its files' device, for all who still have it. Takes
// root's rights, or those of who mounted it, where the system has the control files at their usual place.
int32_t lx_fuse_abort(uint32_t connection);

// 1 where this thread may raise CAP_SYS_ADMIN (in its own user namespace), else 0.
int32_t lx_may_administer(void);
// 1 where this thread has CAP_LEASE, which leases on files of others want, else 0.
int32_t lx_may_lease(void);

// Asks for a read lease and gives it back at once: 0, or -EAGAIN where somebody has the file open for writing or
// maps it shared and writable. `fd` must be open for reading only. No signal ends the process meanwhile.
int32_t lx_probe_read_lease(int32_t fd);

// As lx_probe_read_lease for a write lease: -EAGAIN where anybody but `fd` has the file open or maps it.
int32_t lx_probe_write_lease(int32_t fd);

// Takes a read lease, which keeps everybody from opening the file for writing until it is given back.
int32_t lx_take_read_lease(int32_t fd);
// Takes a write lease, which keeps everybody from opening the file; -EAGAIN as lx_probe_write_lease.
int32_t lx_take_write_lease(int32_t fd);
void lx_give_lease_back(int32_t fd);

// Whether leases of the file system that holds `fd`, a file open for reading and writing that nobody else has, tell
// of a shared mapping whose descriptor is closed: 1, 0, or -errno. Closes `fd`.
int32_t lx_leases_tell(int32_t fd);

#endif
