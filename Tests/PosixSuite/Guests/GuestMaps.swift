extension Exception {
    /// No file is mapped shared; a private map, and one of nothing, are as anywhere.
    static let guestMaps = Exception(
        "shared maps beside the home",
        reason:
            "the kernel keeps no pages of a file there, since another mount may write it: a shared map is "
            + "ENODEV",
        [
            show(
                "open-unlinked/is mapped",
                "open ok; fill 4096; unlink ok; mmap ok; close ok; poke ok; peek 'xyzmm'; msync ok",
                mount:
                    "open ok; fill 4096; unlink ok; mmap ENODEV; close ok; poke no map; peek no map; "
                    + "msync no map"
            ),
            show(
                "atime/map that is read",
                "open ok; fill 4096; mmap ok; peek 'x'; f: atime moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; peek no map; f: no time moved"
            ),
            show(
                "strip/6777 by map",
                "create ok; create ok; create ok; create ok; chown ok; chmod ok; chmod ok; chmod ok; "
                    + "open ok; mmap ok; poke ok; msync ok; munmap ok; stat 6777; as 1000 [open ok; "
                    + "mmap ok; poke ok; msync ok; munmap ok; stat 6777; open ok; mmap ok; poke ok; "
                    + "msync ok; munmap ok; stat 6777]",
                mount:
                    "create ok; create ok; create ok; create ok; chown ok; chmod ok; chmod ok; "
                    + "chmod ok; open ok; mmap ENODEV; poke no map; msync no map; munmap no map; "
                    + "stat 6777; as 1000 [open ok; mmap ENODEV; poke no map; msync no map; "
                    + "munmap no map; stat 6777; open ok; mmap ENODEV; poke no map; msync no map; "
                    + "munmap no map; stat 6777]"
            ),
            show(
                "fallocate/punches under a map",
                "open ok; fill 8192; mmap ok; peek 'x*4 '; fallocate ok; peek '\\00\\00\\00xxx'",
                mount:
                    "open ok; fill 8192; mmap ENODEV; peek no map; fallocate ok; peek no map"
            ),
            show(
                "map/shared, written, seen by read",
                "open ok; fill 4096; mmap ok; poke ok; pread 'helloxx'; contents 'hellox*4091 '",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; pread 'x*7 '; contents 'x*4096 '"
            ),
            show(
                "map/shared, sees what is written",
                "open ok; fill 4096; mmap ok; peek 'xxx'; pwrite 5; peek 'helloxx'",
                mount:
                    "open ok; fill 4096; mmap ENODEV; peek no map; pwrite 5; peek no map"
            ),
            show(
                "map/two maps of one file",
                "open ok; fill 8192; mmap ok; mmap ok; poke ok; peek 'hellox'; poke ok; peek 'Jellox'",
                mount:
                    "open ok; fill 8192; mmap ENODEV; mmap ENODEV; poke no map; peek no map; "
                    + "poke no map; peek no map"
            ),
            show(
                "map/by two processes",
                "open ok; fill 4096; mmap ok; child runs; child ended [open ok; mmap ok; poke ok]; "
                    + "peek 'hellox'",
                mount:
                    "open ok; fill 4096; mmap ENODEV; child runs; child ended [open ok; mmap ENODEV; "
                    + "poke no map]; peek no map"
            ),
            show(
                "map/outlives its descriptor",
                "open ok; fill 4096; mmap ok; close ok; poke ok; msync ok; contents 'hellox*4091 '; "
                    + "munmap ok; contents 'hellox*4091 '",
                mount:
                    "open ok; fill 4096; mmap ENODEV; close ok; poke no map; msync no map; "
                    + "contents 'x*4096 '; munmap no map; contents 'x*4096 '"
            ),
            show(
                "map/kept after unmap without msync",
                "open ok; fill 4096; mmap ok; poke ok; munmap ok; close ok; contents 'hellox*4091 '",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; munmap no map; close ok; "
                    + "contents 'x*4096 '"
            ),
            show(
                "map/page's rest is zeros",
                "open ok; write 3; mmap ok; peek 'abc\\00\\00\\00'; poke ok; msync ok; stat size 3; "
                    + "contents 'abc'",
                mount:
                    "open ok; write 3; mmap ENODEV; peek no map; poke no map; msync no map; "
                    + "stat size 3; contents 'abc'"
            ),
            show(
                "map/page's rest does not come back by growing",
                "open ok; write 3; mmap ok; poke ok; msync ok; munmap ok; ftruncate ok; "
                    + "contents 'abc\\00*17 '",
                mount:
                    "open ok; write 3; mmap ENODEV; poke no map; msync no map; munmap no map; "
                    + "ftruncate ok; contents 'abc\\00*17 '"
            ),
            show(
                "map/past the end ends the process",
                "open ok; write 3; child runs; child ended [ended by SIGBUS]",
                mount:
                    "open ok; write 3; child runs; child ended [mmap ENODEV; peek no map; peek no map]"
            ),
            show(
                "map/past a truncated end ends the process",
                "open ok; fill 8192; child runs; child ended [ended by SIGBUS]",
                mount:
                    "open ok; fill 8192; child runs; child ended [mmap ENODEV; peek no map; "
                    + "ftruncate ok; peek no map; peek no map]"
            ),
            show(
                "map/grows with its file",
                "open ok; write 3; mmap ok; peek 'abc'; ftruncate ok; poke ok; pread '\\00far\\00'",
                mount:
                    "open ok; write 3; mmap ENODEV; peek no map; ftruncate ok; poke no map; "
                    + "pread '\\00*5 '"
            ),
            show(
                "map/of a hole, written",
                "create ok; truncate ok; open ok; mmap ok; poke ok; msync ok; data at 8192; "
                    + "contents '\\00*8192 x\\00*8191 '",
                mount:
                    "create ok; truncate ok; open ok; mmap ENODEV; poke no map; msync no map; "
                    + "data at ENXIO; contents '\\00*16384 '"
            ),
            show(
                "map/of a read-only descriptor",
                "create ok; open ok; mmap EACCES; mmap ok; mmap ok; mprotect EACCES; poke ok; "
                    + "peek 'Xbc'; contents 'abc'",
                mount:
                    "create ok; open ok; mmap EACCES; mmap ENODEV; mmap ok; mprotect no map; "
                    + "poke ok; peek 'Xbc'; contents 'abc'"
            ),
            show(
                "map/made writable later",
                "open ok; fill 4096; mmap ok; peek 'xx'; mprotect ok; poke ok; msync ok; "
                    + "contents 'yx*4095 '",
                mount:
                    "open ok; fill 4096; mmap ENODEV; peek no map; mprotect no map; poke no map; "
                    + "msync no map; contents 'x*4096 '"
            ),
            show(
                "map/of a file renamed over",
                "open ok; fill 4096; mmap ok; create ok; rename ok; poke ok; msync ok; pread 'yx'; "
                    + "contents 'new'",
                mount:
                    "open ok; fill 4096; mmap ENODEV; create ok; rename ok; poke no map; "
                    + "msync no map; pread 'xx'; contents 'new'"
            ),
            show(
                "map/truncated and grown shows zeros",
                "open ok; fill 8192; mmap ok; peek 'x'; ftruncate ok; ftruncate ok; peek 'x\\00'; "
                    + "peek '\\00\\00'",
                mount:
                    "open ok; fill 8192; mmap ENODEV; peek no map; ftruncate ok; ftruncate ok; "
                    + "peek no map; peek no map"
            ),
            show(
                "map/of 3 megabytes, written here and there",
                "create ok; truncate ok; open ok; mmap ok; poke ok; poke ok; poke ok; msync ok; "
                    + "contents '\\00*1000 a\\00*1047575 b\\00*2097150 c'",
                mount:
                    "create ok; truncate ok; open ok; mmap ENODEV; poke no map; poke no map; "
                    + "poke no map; msync no map; contents '\\00*3145728 '"
            ),
            show(
                "map/asynchronous msync",
                "open ok; fill 4096; mmap ok; poke ok; msync ok; msync ok; msync EINVAL; "
                    + "contents 'yx*4095 '",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; msync no map; msync no map; "
                    + "msync no map; contents 'x*4096 '"
            ),
            show(
                "map/written, fsynced, times",
                "open ok; fill 4096; mmap ok; poke ok; fsync ok; f: mtime ctime moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; fsync ok; f: no time moved"
            ),
            show(
                "map/written, msynced, times",
                "open ok; fill 4096; mmap ok; poke ok; msync ok; f: mtime ctime moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; msync no map; f: no time moved"
            ),
            show(
                "map/written, msynced, closed, times",
                "open ok; fill 4096; mmap ok; poke ok; msync ok; munmap ok; close ok; "
                    + "f: mtime ctime moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; msync no map; munmap no map; "
                    + "close ok; f: no time moved"
            ),
            show(
                "map/written twice, msynced twice, times",
                "open ok; fill 4096; mmap ok; poke ok; msync ok; f: mtime ctime moved; poke ok; "
                    + "msync ok; f: mtime ctime moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; poke no map; msync no map; f: no time moved; "
                    + "poke no map; msync no map; f: no time moved"
            ),
            show(
                "map/written after close, msynced, times",
                "open ok; fill 4096; mmap ok; close ok; poke ok; msync ok; f: mtime ctime moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; close ok; poke no map; msync no map; "
                    + "f: no time moved"
            ),
            show(
                "map/read, times",
                "open ok; fill 4096; mmap ok; peek 'x'; msync ok; f: no time moved",
                mount:
                    "open ok; fill 4096; mmap ENODEV; peek no map; msync no map; f: no time moved"
            ),
        ])
}
