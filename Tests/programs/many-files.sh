#!/usr/bin/env bash
# A great many files in one directory: made, listed, looked at, removed.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

perl - "$work/many" "$(by_length 5000 100000 100000)" <<'PERL'
use strict;
use warnings;
my ($dir, $count) = @ARGV;
mkdir $dir or die "mkdir: $!";
for my $n (1 .. $count) {
    open my $file, '>', "$dir/file-$n" or die "open $n: $!";
    print $file $n;
    close $file or die "close $n: $!";
}
opendir my $listing, $dir or die "opendir: $!";
my %seen;
for my $name (readdir $listing) { $seen{$name}++ unless $name =~ /^\.\.?$/ }
closedir $listing;
my $twice = grep { $_ > 1 } values %seen;
printf "listed %d, more than once %d\n", scalar(keys %seen), $twice;
my $bytes = 0;
for my $n (1 .. $count) {
    my @status = lstat "$dir/file-$n" or die "lstat $n: $!";
    $bytes += $status[7];
}
print "bytes $bytes\n";
# Removed while it is listed, as `rm -r` does.
opendir $listing, $dir or die "opendir: $!";
while (defined(my $name = readdir $listing)) {
    next if $name =~ /^\.\.?$/;
    unlink "$dir/$name" or die "unlink $name: $!";
}
closedir $listing;
rmdir $dir or die "rmdir: $!";
print "removed\n";
PERL
