# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian's kexec, with which a guest starts another kernel. Its package is unpacked in the cache, and
# not installed: from then on it would do the reboots of the computer on which it is. run sources
# this file after kernel.sh, which has vm_cache.

# fill_kexec DIR: with the libraries that this computer lacks
fill_kexec() {
	local scratch deb

	[ ! -d "$1" ] || return 0
	scratch=$(scratch_in "$(dirname "$1")")
	echo "${0##*/}: downloading kexec-tools" >&2
	apt_get -y --no-install-recommends --reinstall --download-only \
		-o "Dir::Cache::Archives=$scratch" install kexec-tools >&2 ||
		die "could not download kexec-tools"
	for deb in "$scratch"/*.deb; do
		dpkg -x "$deb" "$scratch/done"
	done
	mv -T "$scratch/done" "$1"
	rm -r "$scratch"
}

# kexec_dir: prints the folder
kexec_dir() {
	local dir=$vm_cache/kexec/amd64

	[ -d "$dir" ] || locked fill_kexec "$dir"
	echo "$dir"
}

# write_start DIR: writes the program that starts DIR/kernel with DIR/initrd, as the guest sees
# both. The kernel is an ELF file.
write_start() {
	local dir

	dir=$(kexec_dir)
	cat >"$1/start" <<-END
	#!/bin/sh
	export LD_LIBRARY_PATH='$dir/usr/lib/x86_64-linux-gnu'
	'$dir/sbin/kexec' --load /run/vm/then/kernel --args-linux --initrd=/run/vm/then/initrd \\
		--command-line="\$(cat /proc/cmdline)" && exec '$dir/sbin/kexec' --exec
	END
	chmod +x "$1/start"
}
