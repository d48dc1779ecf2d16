# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian's programs for another processor, which an emulated machine of that processor needs. They
# are packages that are unpacked in the cache, and not installed: no program of theirs runs on this
# machine. run and programs source this file after kernel.sh.

# What tests use, what the guest's first programs are, and what our own programs are built with
readonly USERLAND='base-files base-passwd bash bsdutils busybox-static coreutils dash diffutils
	ethtool findutils gojq grep iperf3 iproute2 iputils-ping jq kmod libc6-dev libjansson-dev
	libncurses-dev libnl-3-dev libnl-genl-3-dev libnl-route-3-dev make mawk mount netbase nftables
	procps python3 sed tcpdump util-linux'

is_foreign() {
	is_series "$1" && [ "$(series_processor "$1")" != amd64 ]
}

# fill_userland DIR
fill_userland() {
	local scratch deb

	[ ! -d "$1" ] || return 0
	scratch=$(scratch_in "$(dirname "$1")")
	echo "${0##*/}: downloading programs for another processor" >&2
	# shellcheck disable=SC2086 # a list of words
	apt_get -y --no-install-recommends --download-only -o "Dir::Cache::Archives=$scratch" \
		install $USERLAND >&2 || die "could not download them"
	mkdir -p "$scratch/done/usr"/{bin,sbin,lib}
	ln -s usr/bin usr/sbin usr/lib "$scratch/done/"
	for deb in "$scratch"/*.deb; do
		dpkg --fsys-tarfile "$deb" | tar -x -C "$scratch/done" --keep-directory-symlink
	done
	# Scripts of the packages would do this.
	ln -s mawk "$scratch/done/usr/bin/awk"
	cp "$scratch/done/usr/share/base-passwd/passwd.master" "$scratch/done/etc/passwd"
	echo 'tcpdump:x:100:65534::/nonexistent:/usr/sbin/nologin' >>"$scratch/done/etc/passwd"
	cp "$scratch/done/usr/share/base-passwd/group.master" "$scratch/done/etc/group"
	rm -rf "$scratch/done/usr/share/"{doc,info,locale,man}
	mkdir -p "$scratch/done"/{dev,proc,sys,run,tmp,root}
	mv -T "$scratch/done" "$1"
	rm -r "$scratch"
}

# userland_dir KERNEL: prints the folder that has them, named after what this file does
userland_dir() {
	local dir

	choose_archive "$1"
	dir=$vm_cache/userland/$(sha256sum <"$here/userland.sh" | cut -c1-12)
	if [ ! -d "$dir" ]; then
		kernel_release "$1" >/dev/null
		locked fill_userland "$dir"
	fi
	echo "$dir"
}
