/// Where a home that an ordinary user has mounted for himself differs besides: its kernel checks no mode
/// bits, and the backing files are asked instead, with the rights of the process that serves it.
extension Exception {
    static let ofOwnMounts: [Exception] = [
        Exception(
            "dots without search",
            reason: "the kernel walks `.` and `..` by itself, and where it checks nothing, it asks nobody",
            (
                "search/taken with the working directory below",
                [
                    Pair(
                        "mkdir ok; mkdir ok; create ok; mkdir ok; create ok; open ok; chdir ok; stat file; "
                            + "chmod ok; contents 'x'; create ok; list g/ i; stat EACCES; chmod EACCES; "
                            + "list g/ i",
                        mount:
                            "mkdir ok; mkdir ok; create ok; mkdir ok; create ok; open ok; chdir ok; "
                            + "stat file; chmod ok; contents 'x'; create ok; list g/ i; stat EACCES; "
                            + "chmod ok; list g/ i",
                        // A walk that begins below the directory asks nobody for the directory itself: it
                        // may come before the kernel is told that the names in it are not known any more.
                        "mkdir ok; mkdir ok; create ok; mkdir ok; create ok; open ok; chdir ok; "
                            + "stat file; chmod ok; contents 'x'; create ok; list g/ i; stat file; "
                            + "chmod ok; list g/ i"
                    )
                ]
            ),
            (
                "search/taken from the working directory",
                [
                    Pair(
                        "mkdir ok; create ok; chdir ok; contents 'x'; chmod ok; contents EACCES; "
                            + "create EACCES; access EACCES; chmod EACCES; contents EACCES",
                        mount:
                            "mkdir ok; create ok; chdir ok; contents 'x'; chmod ok; contents EACCES; "
                            + "create EACCES; access EACCES; chmod ok; contents 'x'")
                ]
            )),
        Exception(
            "fifos and sockets of one's own",
            reason: "the kernel opens and connects them by itself, likewise",
            (
                "own mode/of a fifo",
                [
                    Pair(
                        "mknod ok; chmod ok; open EACCES; chmod ok; open EACCES; open EACCES",
                        mount: "mknod ok; chmod ok; open ok; chmod ok; open ok; open ok")
                ]
            ),
            (
                "own mode/of a socket",
                [
                    Pair(
                        "bind ok; chmod ok; connect EACCES", mount: "bind ok; chmod ok; connect ok")
                ]
            )),
        Exception(
            "programs that may be run and not read",
            reason: "the process that serves them reads them, with its user's rights",
            (
                "own mode/of a program to run alone",
                [Pair("copy program ok; run exit 0", mount: "copy program ok; run EACCES")]
            )),
    ]
}
