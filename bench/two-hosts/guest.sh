#!/bin/bash
# What a guest of bench/two-hosts.ts does first: modules, address, clock, the NFS server when it is that; then it is a
# shell on its console, to which the bench writes. Its root is that of this machine, read only, but for what is mounted here.
word() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/run/home TMPDIR=/run/tmp
mount -t proc proc /proc
work=$(word work)
mount -t sysfs sysfs /sys
mkdir -p /dev/shm
for folder in /run /var/lib/nfs /mnt /dev/shm; do mount -t tmpfs tmpfs "$folder"; done
mkdir -p /run/home /run/tmp /run/rpcbind /run/sendsigs.omit.d /var/lib/nfs/sm /var/lib/nfs/v4recovery /mnt/shared /mnt/export
load() { modprobe -d "$work/modules-root" "$1"; }
hostname "$(word name)"
ip link set lo up; ip link set eth0 up; ip addr add "$(word address)/24" dev eth0
shift=$(word clock)
[ "${shift:-0}" = 0 ] || date -s "@$(( $(date +%s) + shift ))" > /dev/null
for module in nfsv3 nfsv4; do load $module; done
if [ "$(word role)" = server ]; then
  load nfsd
  tools=$work/nfs-kernel-server/usr/sbin
  mount -t ext4 /dev/ubda /mnt/export
  mount -t nfsd nfsd /proc/fs/nfsd
  touch /var/lib/nfs/etab /var/lib/nfs/rmtab
  rpcbind -w
  rpc.statd --no-notify
  # Seconds that a new server waits for the clients of an earlier one.
  echo 10 > /proc/fs/nfsd/nfsv4leasetime; echo 10 > /proc/fs/nfsd/nfsv4gracetime
  "$tools/exportfs" -o rw,no_root_squash,no_subtree_check,fsid=0,sync,insecure '*:/mnt/export'
  "$tools/rpc.mountd" 2> /dev/null
  "$tools/rpc.nfsd" 4
fi
cd "$(word checkout)" || exit 1
stty -echo
echo "guest ready"
export PS1= PS2=
exec /bin/sh
