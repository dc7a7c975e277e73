extension Exception {
    /// Every lock is refused, and so nothing is in the way of one.
    static let guestLocks = Exception(
        "locks beside the home",
        reason:
            "two mounts of one tree know nothing of each other's locks: in all but the home's own each call "
            + "is ENOLCK",
        [
            show(
                "open-unlinked/locks",
                "open ok; unlink ok; lock ok; flock ok",
                mount:
                    "open ok; unlink ok; lock ENOLCK; flock ENOLCK"
            ),
            show(
                "times/lock",
                "open ok; lock ok; flock ok; f: no time moved",
                mount:
                    "open ok; lock ENOLCK; flock ENOLCK; f: no time moved"
            ),
            show(
                "lock/write against write",
                "open ok; lock ok; child runs; child ended [open ok; lock EAGAIN; lock EAGAIN; "
                    + "in the way write 0+0]",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [open ok; lock ENOLCK; "
                    + "lock ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/read beside read",
                "open ok; lock ok; child runs; child ended [open ok; lock ok; lock EAGAIN; "
                    + "in the way read 0+0; in the way free]",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [open ok; lock ENOLCK; "
                    + "lock ENOLCK; in the way ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/ranges apart",
                "open ok; lock ok; child runs; child ended [open ok; lock ok; lock EAGAIN; "
                    + "in the way write 0+10]",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [open ok; lock ENOLCK; "
                    + "lock ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/split by an unlock in the middle",
                "open ok; lock ok; lock ok; child runs; child ended [open ok; in the way write 0+10; "
                    + "in the way free; in the way write 20+10]",
                mount:
                    "open ok; lock ENOLCK; lock ENOLCK; child runs; child ended [open ok; "
                    + "in the way ENOLCK; in the way ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/joined",
                "open ok; lock ok; lock ok; child runs; child ended [open ok; in the way write 0+20]",
                mount:
                    "open ok; lock ENOLCK; lock ENOLCK; child runs; child ended [open ok; "
                    + "in the way ENOLCK]"
            ),
            show(
                "lock/part made weaker",
                "open ok; lock ok; lock ok; child runs; child ended [open ok; lock ok; lock EAGAIN; "
                    + "in the way read 5+5]",
                mount:
                    "open ok; lock ENOLCK; lock ENOLCK; child runs; child ended [open ok; "
                    + "lock ENOLCK; lock ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/let go by unlock",
                "open ok; lock ok; lock ok; child runs; child ended [open ok; lock ok]",
                mount:
                    "open ok; lock ENOLCK; lock ENOLCK; child runs; child ended [open ok; lock ENOLCK]"
            ),
            show(
                "lock/let go by close of any descriptor",
                "open ok; open ok; lock ok; close ok; child runs; child ended [open ok; lock ok]",
                mount:
                    "open ok; open ok; lock ENOLCK; close ok; child runs; child ended [open ok; "
                    + "lock ENOLCK]"
            ),
            show(
                "lock/let go by the holder's end",
                "create ok; child runs; child ended [open ok; lock ok]; open ok; lock ok",
                mount:
                    "create ok; child runs; child ended [open ok; lock ENOLCK]; open ok; lock ENOLCK"
            ),
            show(
                "lock/held by another that lives",
                "create ok; child runs; open ok; lock EAGAIN; in the way write 0+0; "
                    + "child ended [open ok; lock ok; pause over]; lock ok",
                mount:
                    "create ok; child runs; open ok; lock ENOLCK; in the way ENOLCK; "
                    + "child ended [open ok; lock ENOLCK; pause over]; lock ENOLCK"
            ),
            show(
                "lock/own locks are never in the way",
                "open ok; open ok; lock ok; lock ok; in the way free",
                mount:
                    "open ok; open ok; lock ENOLCK; lock ENOLCK; in the way ENOLCK"
            ),
            show(
                "lock/not passed on to a child",
                "open ok; lock ok; child runs; child ended [lock EAGAIN; in the way write 0+0]",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [lock ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/write on a read-only descriptor",
                "create ok; open ok; lock EBADF; lock ok",
                mount:
                    "create ok; open ok; lock EBADF; lock ENOLCK"
            ),
            show(
                "lock/read on a write-only descriptor",
                "open ok; lock EBADF; lock ok",
                mount:
                    "open ok; lock EBADF; lock ENOLCK"
            ),
            show(
                "lock/past the end and with no end",
                "open ok; lock ok; child runs; child ended [open ok; lock ok; lock EAGAIN; "
                    + "in the way write 1099511627776+0]",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [open ok; lock ENOLCK; "
                    + "lock ENOLCK; in the way ENOLCK]"
            ),
            show(
                "lock/of negative length",
                "open ok; lock ok; child runs; child ended [open ok; in the way write 5+5]",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [open ok; in the way ENOLCK]"
            ),
            show(
                "lock/waits until it is let go",
                "open ok; lock ok; child runs; child waits yes; stat size 0; lock ok; "
                    + "child ended [open ok; ready said; lock waiting ok; pwrite 3]; contents 'got'",
                mount:
                    "open ok; lock ENOLCK; child runs; child waits no; stat size 3; lock ENOLCK; "
                    + "child ended [open ok; ready said; lock waiting ENOLCK; pwrite 3]; contents 'got'"
            ),
            show(
                "lock/waits until the holder closes",
                "open ok; lock ok; child runs; child waits yes; close ok; child ended [close ok; "
                    + "open ok; ready said; lock waiting ok]",
                mount:
                    "open ok; lock ENOLCK; child runs; child waits no; close ok; "
                    + "child ended [close ok; open ok; ready said; lock waiting ENOLCK]"
            ),
            show(
                "lock/two that wait for each other",
                "open ok; lock ok; child runs; child waits yes; lock waiting EDEADLK; lock ok; "
                    + "child ended [open ok; lock ok; ready said; lock waiting ok]",
                mount:
                    "open ok; lock ENOLCK; child runs; child waits no; lock waiting ENOLCK; "
                    + "lock ENOLCK; child ended [open ok; lock ENOLCK; ready said; lock waiting ENOLCK]"
            ),
            show(
                "lock/survives rename and unlink",
                "open ok; lock ok; rename ok; child runs; child ended [open ok; lock EAGAIN]; "
                    + "unlink ok; create ok; child runs; child ended [open ok; lock ok]",
                mount:
                    "open ok; lock ENOLCK; rename ok; child runs; child ended [open ok; "
                    + "lock ENOLCK]; unlink ok; create ok; child runs; child ended [open ok; "
                    + "lock ENOLCK]"
            ),
            show(
                "lock/is the inode's, by any name",
                "open ok; link ok; lock ok; child runs; child ended [open ok; lock EAGAIN]",
                mount:
                    "open ok; link ok; lock ENOLCK; child runs; child ended [open ok; lock ENOLCK]"
            ),
            show(
                "lock/does not stop a write",
                "open ok; lock ok; child runs; child ended [open ok; write 1]; contents 'x'",
                mount:
                    "open ok; lock ENOLCK; child runs; child ended [open ok; write 1]; contents 'x'"
            ),
            show(
                "ofd-lock/between two descriptors",
                "open ok; open ok; lock open file ok; lock open file EAGAIN; "
                    + "in the way of open file write 0+0; lock open file ok; lock open file ok",
                mount:
                    "open ok; open ok; lock open file ENOLCK; lock open file ENOLCK; "
                    + "in the way of open file ENOLCK; lock open file ENOLCK; lock open file ENOLCK"
            ),
            show(
                "ofd-lock/shared by a copied descriptor",
                "open ok; dup ok; lock open file ok; lock open file ok; close ok; open ok; "
                    + "lock open file EAGAIN; close ok; lock open file ok",
                mount:
                    "open ok; dup ok; lock open file ENOLCK; lock open file ENOLCK; close ok; "
                    + "open ok; lock open file ENOLCK; close ok; lock open file ENOLCK"
            ),
            show(
                "ofd-lock/not let go by another's close",
                "open ok; open ok; lock open file ok; close ok; open ok; lock open file EAGAIN",
                mount:
                    "open ok; open ok; lock open file ENOLCK; close ok; open ok; lock open file ENOLCK"
            ),
            show(
                "ofd-lock/passed on to a child",
                "open ok; lock open file ok; child runs; child ended [lock open file ok; open ok; "
                    + "lock open file EAGAIN]",
                mount:
                    "open ok; lock open file ENOLCK; child runs; child ended [lock open file ENOLCK; "
                    + "open ok; lock open file ENOLCK]"
            ),
            show(
                "ofd-lock/against a lock of the process",
                "open ok; open ok; lock ok; lock open file EAGAIN; lock open file EAGAIN",
                mount:
                    "open ok; open ok; lock ENOLCK; lock open file ENOLCK; lock open file ENOLCK"
            ),
            show(
                "ofd-lock/reads beside each other",
                "open ok; open ok; lock open file ok; lock open file ok; lock open file EAGAIN",
                mount:
                    "open ok; open ok; lock open file ENOLCK; lock open file ENOLCK; "
                    + "lock open file ENOLCK"
            ),
            show(
                "ofd-lock/ranges apart",
                "open ok; open ok; lock open file ok; lock open file ok; lock open file EAGAIN",
                mount:
                    "open ok; open ok; lock open file ENOLCK; lock open file ENOLCK; "
                    + "lock open file ENOLCK"
            ),
            show(
                "flock/between two descriptors",
                "open ok; open ok; flock ok; flock EAGAIN; flock EAGAIN; flock ok; flock ok",
                mount:
                    "open ok; open ok; flock ENOLCK; flock ENOLCK; flock ENOLCK; flock ENOLCK; "
                    + "flock ENOLCK"
            ),
            show(
                "flock/shared ones",
                "open ok; open ok; flock ok; flock ok; flock EAGAIN; flock ok; flock ok",
                mount:
                    "open ok; open ok; flock ENOLCK; flock ENOLCK; flock ENOLCK; flock ENOLCK; "
                    + "flock ENOLCK"
            ),
            show(
                "flock/of a copied descriptor",
                "open ok; dup ok; flock ok; flock ok; close ok; open ok; flock EAGAIN; close ok; flock ok",
                mount:
                    "open ok; dup ok; flock ENOLCK; flock ENOLCK; close ok; open ok; flock ENOLCK; "
                    + "close ok; flock ENOLCK"
            ),
            show(
                "flock/passed on to a child",
                "open ok; flock ok; child runs; child ended [flock ok; open ok; flock EAGAIN; "
                    + "flock ok; flock ok; flock ok]; open ok; flock ok",
                mount:
                    "open ok; flock ENOLCK; child runs; child ended [flock ENOLCK; open ok; "
                    + "flock ENOLCK; flock ENOLCK; flock ENOLCK; flock ENOLCK]; open ok; flock ENOLCK"
            ),
            show(
                "flock/let go by close",
                "open ok; flock ok; close ok; open ok; flock ok",
                mount:
                    "open ok; flock ENOLCK; close ok; open ok; flock ENOLCK"
            ),
            show(
                "flock/of a read-only descriptor",
                "create ok; open ok; flock ok",
                mount:
                    "create ok; open ok; flock ENOLCK"
            ),
            show(
                "flock/apart from fcntl's",
                "open ok; flock ok; child runs; child ended [open ok; lock ok; flock EAGAIN]",
                mount:
                    "open ok; flock ENOLCK; child runs; child ended [open ok; lock ENOLCK; flock ENOLCK]"
            ),
            show(
                "flock/waits until it is let go",
                "open ok; flock ok; child runs; child waits yes; stat size 0; flock ok; "
                    + "child ended [open ok; ready said; flock waiting ok; pwrite 3]; contents 'got'",
                mount:
                    "open ok; flock ENOLCK; child runs; child waits no; stat size 3; flock ENOLCK; "
                    + "child ended [open ok; ready said; flock waiting ENOLCK; pwrite 3]; "
                    + "contents 'got'"
            ),
        ])
}
