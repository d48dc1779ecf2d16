#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# overlay.sh - runs a test of packages in an overlay of this machine's files, which is deleted
# afterwards, and prints each command with its output.
#
#	overlay_run TEST DIR R1=... K2=...	runs "TEST overlay" there; DIR is the real one
#	run COMMAND...				prints the command and its output
#	said TEXT				the last command printed this text
#	none_said				the last command printed nothing
#	headers_of SERIES			prints "RELEASE KDIR"
#	built_for RELEASE VERSION		DKMS built the module, and modprobe finds it
#
# Source lib.sh first. overlay_run runs "TEST enter ARGUMENT...", for which the test calls
# overlay_enter ARGUMENT...

# run COMMAND...: prints the command and its output
run() {
	local status=0

	echo "# \$ $*"
	"$@" >"$SAYS" 2>&1 || status=$?
	sed 's/^/#   /' "$SAYS"
	return "$status"
}

# said TEXT: the last command printed this text
said() {
	grep -qF -- "$1" "$SAYS" && return
	why "the output does not have \"$1\""
	return 1
}

none_said() {
	[[ ! -s $SAYS ]] && return
	why "the output must be empty, but has: $(head -n 1 "$SAYS")"
	return 1
}

# headers_of SERIES: prints "RELEASE KDIR"
headers_of() {
	local dir

	dir=$("$TESTS/vm/headers" -k "$1") || return
	echo "$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$dir/include/generated/utsrelease.h") $dir"
}

# built_for RELEASE VERSION: DKMS built the module, and modprobe finds it. Where rpm is installed,
# DKMS calls the processor by another word.
built_for() {
	run dkms status -m conga -k "$1" -v "$2" && said "conga/$2, $1, " && said ": installed" &&
		run modinfo -k "$1" -F vermagic conga && said "$1 " &&
		run modinfo -k "$1" -F filename conga && said "/updates/dkms/conga.ko" &&
		run modinfo -k "$1" -F version conga && said "$2"
}

# overlay_enter MOUNTPOINT TEST DIR VARIABLE=VALUE...: makes this machine's files writable, in a
# mount namespace of the test; runs "TEST overlay" there
overlay_enter() {
	local dir=$1 mount

	mount -t tmpfs tmpfs "$dir" && mkdir "$dir"/{upper,work,root} &&
		mount -t overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" \
			overlay "$dir/root" || return
	for mount in proc dev; do
		mount --rbind "/$mount" "$dir/root/$mount" || return
	done
	mount -t tmpfs run "$dir/root/run" && mount -t tmpfs tmp "$dir/root/tmp" &&
		mkdir -p "$dir/root$3" && mount --bind "$3" "$dir/root$3" &&
		exec env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			"${@:4}" chroot "$dir/root" "$2" overlay
}

# overlay_run TEST DIR VARIABLE=VALUE...: the mounts go with the namespace
overlay_run() {
	local mountpoint status=0

	mountpoint=$(mktemp -d)
	unshare -m "$1" enter "$mountpoint" "$@" || status=1
	rmdir "$mountpoint"
	return "$status"
}
