#!/bin/bash
# Fetches what the guests of bench/two-hosts.ts run on into a folder: `make-guest.sh FOLDER`. Two packages of Debian, not
# installed but laid open there: user-mode-linux (a Linux kernel that is a process, with NFS as client and server) and
# nfs-kernel-server. Needs as packages: nfs-common, rpcbind, e2fsprogs, kmod.
set -euo pipefail
mkdir -p "$1"
cd "$1"
for package in user-mode-linux nfs-kernel-server; do
  [ -d $package ] && continue
  apt-get download $package
  dpkg -x ${package}_*.deb $package
done
mkdir -p modules-root/lib
ln -sfn "$PWD/user-mode-linux/usr/lib/uml/modules" modules-root/lib/modules
version=$(ls modules-root/lib/modules)
depmod -b modules-root "$version"
echo "guests run Linux $version"
