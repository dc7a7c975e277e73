import Databases
import Doctor
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == DatabaseSearchTool.argument {
    exit(DatabaseSearchTool.run(Array(arguments.dropFirst())))
}
exit(DatabaseTool.run(Array(arguments.dropFirst())))
