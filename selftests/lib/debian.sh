# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# debian.sh - a new Debian in a folder, made by debootstrap from the archive.
#
#	debian_new DIR SUITE PACKAGE,... [OPTION]...	makes it; options are those of debootstrap
#	debian_mount DIR				mounts what programs expect
#
# The caller of debian_mount must be in a mount namespace of its own, with which the mounts end.

# debian_new DIR SUITE PACKAGE,... [OPTION]...
debian_new() {
	debootstrap --variant=minbase --include="$3" "${@:4}" "$2" "$1" >"$1.log" 2>&1 ||
		{ cat "$1.log"; return 1; }
	rm "$1.log"
	cp /etc/resolv.conf /etc/hosts "$1/etc/"
}

# debian_mount DIR
debian_mount() {
	mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev"
}
