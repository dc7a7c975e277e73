// libfuse's low-level API, as Swift sees it. Only FuseKit imports this.
#ifndef APPHOME_CFUSE_H
#define APPHOME_CFUSE_H
#define FUSE_USE_VERSION 314
#include <fuse3/fuse_lowlevel.h>
#include <linux/fuse.h>
#endif
