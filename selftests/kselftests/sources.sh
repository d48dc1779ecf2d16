# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# sources.sh - the kernel's own selftests, of the very version that a machine boots, from Debian's
# source package. Only these folders are unpacked, and only the programs that the suites need are
# built. The result lies in the cache, named after the version and what was built. run sources this
# file after vm/kernel.sh.

# The folders of the source that are unpacked
readonly KSELFTESTS_PARTS='net netfilter wireguard lib.mk kselftest.h kselftest_harness.h bpf/progs/xdp_dummy.c'
# The programs that the suites start, by the folder in which each is built
readonly KSELFTESTS_NET='gro ipsec nettest udpgso udpgso_bench_rx udpgso_bench_tx'
readonly KSELFTESTS_NETFILTER='connect_close nf-queue sctp_collision'

# kselftests_version RELEASE: prints the version of the package that the kernel was built from,
# which the kernel itself names
kselftests_version() {
	grep -a -o -m 1 "Linux version $1 [^#]*#[^#]* Debian [^ ]*" "$vm_cache/kernel/$1/kernel" |
		sed 's/.* Debian //'
}

# kselftests_make FOLDER PROGRAM...
kselftests_make() {
	make -s -j"$(nproc)" -C "$1" "OUTPUT=$1" "${@:2}"
}

# kselftests_build DIR: builds them in the folder that holds net, netfilter and bpf. CFLAGS are those
# of the kernel's Makefiles; the headers of its userspace interface are this machine's.
kselftests_build() {
	local net=$1/net netfilter=$1/netfilter

	# shellcheck disable=SC2086 # lists of words
	kselftests_make "$net" $(printf "$net/%s " $KSELFTESTS_NET) &&
		kselftests_make "$netfilter" $(printf "$netfilter/%s " $KSELFTESTS_NETFILTER) || return
	clang -O2 -target bpf -idirafter "/usr/include/$(gcc -print-multiarch)" \
		-c "$1/bpf/progs/xdp_dummy.c" -o "$1/bpf/xdp_dummy.bpf.o" || return
	cp "$net/forwarding/forwarding.config.sample" "$net/forwarding/forwarding.config"
}

# fill_kselftests DIR VERSION
fill_kselftests() {
	local scratch part parts=() source=linux-source-6.1

	[ ! -d "$1" ] || return 0
	scratch=$(scratch_in "${1%/*}")
	for part in $KSELFTESTS_PARTS; do
		parts+=("$source/tools/testing/selftests/$part")
	done
	unpack_source "$source=$2" "$scratch" --strip-components=1 "${parts[@]}"
	kselftests_build "$scratch/done/tools/testing/selftests" >&2 ||
		die "the kernel's selftests do not build: run selftests/setup kselftests"
	mv -T "$scratch/done/tools/testing/selftests" "$1"
	rm -r "$scratch"
}

# kselftests_dir SERIES: prints the folder of the built selftests that fit the kernel that
# "vm/run -k SERIES" boots
kselftests_dir() {
	local release version dir

	release=$(kernel_dir "$1")
	release=${release##*/}
	version=$(kselftests_version "$release")
	[ -n "$version" ] || die "the kernel $release does not name its version"
	dir=$vm_cache/kselftests/$version-$(sha256sum <"${BASH_SOURCE[0]}" | cut -c1-12)
	need clang gcc make
	locked fill_kselftests "$dir" "$version"
	echo "$dir"
}
