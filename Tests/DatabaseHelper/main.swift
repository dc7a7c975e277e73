import Databases
import Glibc

exit(DatabaseTool.run(Array(CommandLine.arguments.dropFirst(2))))
