// posix-suite: one set of POSIX cases, run on a mount and on a plain directory.
//
//     posix-suite run DIR                     print `name: outcome` for each case, run in DIR
//     posix-suite compare CONTROL MOUNT       run each case in both; print what differs
//     posix-suite list                        the names of the cases
//     posix-suite exceptions                  the written list of differences, with reasons
//
//     --only PATTERN      cases whose name has PATTERN in it, or matches it where it has a `*`; repeatable
//     --as-root           refuse to run as another user
//     --as-user           started by root: run as uid 1000 with no other group
//     --plain             compare two plain directories: no exception applies, all must be the same
//     --whole             cases run in the directories themselves, which must be empty
//     --names POLICY      how the mount compares names: device, simulator or legacy (device)
//     --guest             the mount is beside the home's own: the Files app's view, or the device's tree
//     --own               the mount is a home that an ordinary user has mounted for himself
//     --deadline SECONDS  how long one case may take (60); a case that takes longer ends the run
//     --json              a JSON object for each line
//
// A case is a name and a list of steps (Cases/). Its outcome is the text of what the steps showed:
// errors by name, modes, counts, sizes, contents, which times moved; nothing absolute. So two directories
// that behave the same give the same lines. Cases with steps `asUser` take other users' identities and
// are root's alone; all others run for any user.
//
// `compare` allows the differences of `Exception.all` and no other: an exception's case must show exactly
// the outcomes that are written for it. It ends with `N passed, N failed`; status 1 where any failed.
internal import Glibc

do throws(Options.Refusal) {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    exit(Supervisor.run { hang in Suite(options, hang: hang).run() })
} catch {
    Report.refusal(error.line)
    exit(64)
}
