internal import CFuse

/// The table that libfuse calls through: every operation that FuseKit answers.
func lowLevelOperations(locks: SessionOptions.Locks) -> fuse_lowlevel_ops {
    var operations = fuse_lowlevel_ops()
    operations.`init` = answerInit
    operations.lookup = answerLookup
    operations.forget = answerForget
    operations.forget_multi = answerForgetMany
    operations.access = answerAccess
    operations.getattr = answerGetattr
    operations.setattr = answerSetattr
    operations.readlink = answerReadlink
    operations.mknod = answerMknod
    operations.mkdir = answerMkdir
    operations.unlink = answerUnlink
    operations.rmdir = answerRmdir
    operations.symlink = answerSymlink
    operations.rename = answerRename
    operations.link = answerLink
    operations.open = answerOpen
    operations.create = answerCreate
    operations.read = answerRead
    operations.write = answerWrite
    operations.flush = answerFlush
    operations.release = answerRelease
    operations.fsync = answerFsync
    operations.fallocate = answerFallocate
    operations.lseek = answerLseek
    operations.copy_file_range = answerCopyFileRange
    operations.opendir = answerOpendir
    operations.readdir = answerReaddir
    operations.readdirplus = answerReaddirplus
    operations.releasedir = answerReleasedir
    operations.fsyncdir = answerFsyncdir
    operations.statfs = answerStatfs
    operations.setxattr = answerSetxattr
    operations.getxattr = answerGetxattr
    operations.listxattr = answerListxattr
    operations.removexattr = answerRemovexattr
    // Without these the kernel keeps the locks itself.
    if locks == .refused {
        operations.getlk = refuseGetlk
        operations.setlk = refuseSetlk
        operations.flock = refuseFlock
    }
    return operations
}
