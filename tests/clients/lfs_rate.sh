#!/usr/bin/env bash
# Sends a large file (LFS) to a running server of this machine and gets it back, and compares the rates with those of the disk. Prints also
# by how much the memory of the server has grown.
#
#   bash tests/clients/lfs_rate.sh http://127.0.0.1:8080 TOKEN GROUP/PROJECT PID FOLDER [MEGABYTES]
#
# FOLDER lies on the disk of the server's data. PID is the process of the server.
set -euo pipefail
base=$1 token=$2 project=$3 pid=$4 folder=$5 megabytes=${6:-1024}
file=$(mktemp -p "$folder")
trap 'rm -f "$file" "$file.copy"' EXIT
head -c "${megabytes}M" /dev/urandom >"$file"
size=$(stat -c %s "$file")
oid=$(sha256sum "$file" | cut -d' ' -f1)
seconds() { local began; began=$(date +%s%N); "$@" >/dev/null; echo "scale=3; ($(date +%s%N) - $began) / 1000000000" | bc; }
memory() { awk '/VmHWM/ {print $2}' "/proc/$pid/status"; }
href=$base/$project.git/info/lfs/objects/$oid
get() { curl -sSf -u "git:$token" -o "$file.copy" "$href"; }
copy() { dd if="$file" of="$file.copy" bs=1M conv=fsync status=none; }

before=$(memory)
copied=$(seconds copy)
sent=$(seconds curl -sSf -u "git:$token" -T "$file" -H "Content-Length: $size" "$href/$size")
after=$(memory)
got=$(seconds get)
cmp "$file" "$file.copy"
end=$(memory)
echo "copy with fsync ${copied} s, upload ${sent} s, download ${got} s"
echo "upload at $(echo "scale=2; $copied / $sent" | bc) of the rate of a copy, download at $(echo "scale=2; $copied / $got" | bc)"
echo "memory of the server: +$((after - before)) KiB while sending, +$((end - after)) KiB while getting"
