#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# range.sh - the kernels that conga is built for: one sentence of the compiler rejects a kernel
# that is too old, and one a 32-bit kernel; DKMS builds for the same kernels; and all texts name
# the same oldest kernel. It runs on the host, and needs no headers.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

readonly TREE=${TESTS%/*}
readonly DKMS=$TREE/debian/conga-dkms.dkms
readonly TOO_OLD='conga needs Linux 6.1 or newer' TOO_NARROW='conga needs a 64-bit kernel'

SCRATCH=$(mktemp -d)
defer "rm -rf $SCRATCH"

# errors VERSION OPTION...: prints the errors of the compiler for a kernel with this version
errors() {
	mkdir -p "$SCRATCH/linux"
	cat >"$SCRATCH/linux/version.h" <<-END
	#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
	#define LINUX_VERSION_CODE KERNEL_VERSION(${1//./, })
	END
	gcc -E -o /dev/null -I "$SCRATCH" "${@:2}" "$TREE/kmod/compat/range.h" 2>&1 |
		sed -n 's/.*: error: //p'
}

# rejects SENTENCE VERSION OPTION...
rejects() {
	local got

	got=$(errors "${@:2}")
	[[ $got == "#error \"$1\"" ]] || fail "the compiler printed: $got"
}

accepts() {
	local got

	got=$(errors "$@")
	[[ ! $got ]] || fail "the compiler printed: $got"
}

# dkms VARIABLE: prints its value in the package's file
dkms() {
	sed -n "s/^$1=\"\(.*\)\"\$/\1/p" "$DKMS"
}

# dkms_takes VERSION: does DKMS build the package for this kernel?
dkms_takes() {
	local pattern

	pattern=$(dkms BUILD_EXCLUSIVE_KERNEL)
	[[ $1 =~ ${pattern:-no pattern} ]]
}

dkms_takes_new() {
	local version

	for version in 6.1.0-1-amd64 6.12.9+deb13-amd64 7.2-amd64 10.0; do
		dkms_takes "$version" || fail "DKMS does not build for $version" || return
	done
}

dkms_leaves_old() {
	local version

	for version in 6.0.0-6-amd64 5.19.0-2-amd64 4.19.0-1-amd64; do
		! dkms_takes "$version" || fail "DKMS builds for $version" || return
	done
}

# DKMS skips a kernel without these, and the manual and the guide name those that a distribution
# may leave out.
options_agree() {
	local option options

	read -ra options < <(dkms BUILD_EXCLUSIVE_CONFIG)
	[[ " ${options[*]} " == *" CONFIG_64BIT "* ]] || fail "DKMS builds for 32-bit kernels" || return
	for option in CONFIG_NETFILTER_EGRESS CONFIG_VXLAN; do
		[[ " ${options[*]} " == *" $option "* ]] || fail "DKMS does not ask for $option" || return
		grep -qF "$option" "$TREE/Documentation/user/operator.md" &&
			grep -qF "$option" "$TREE/Documentation/man/conga.7" ||
			fail "the manual or the guide does not name $option" || return
	done
}

# named FILE: prints each "6.1 or newer" in it, whatever the version
named() {
	grep -oE '[0-9]+\.[0-9]+ or newer' "$TREE/$1" | sort -u
}

# texts_agree: the sentence of the compiler is the one that all others repeat
texts_agree() {
	local file least got

	least=$(named kmod/compat/range.h)
	[[ $least == "${TOO_OLD##*Linux }" ]] || fail "range.h names: $least" || return
	for file in debian/control README.md Documentation/man/conga.7 \
		Documentation/user/operator.md Documentation/developer/rationale.md; do
		got=$(named "$file")
		[[ $got == "$least" ]] || fail "$file names: ${got:-no kernel}, expected: $least" || return
	done
}

tap_plan 8
require_commands gcc
tap_test "a kernel older than 6.1 is rejected by one sentence" \
	rejects "$TOO_OLD" 6.0.255 -DCONFIG_64BIT
tap_test "kernel 6.1.0 is accepted" accepts 6.1.0 -DCONFIG_64BIT
tap_test "kernel 7.2.0 is accepted" accepts 7.2.0 -DCONFIG_64BIT
tap_test "a 32-bit kernel is rejected by one sentence" rejects "$TOO_NARROW" 6.1.0
tap_test "DKMS builds for 6.1 and newer kernels" dkms_takes_new
tap_test "DKMS builds for no older kernel" dkms_leaves_old
tap_test "DKMS asks for the options that the manual and the guide name, and for 64 bits" options_agree
tap_test "the packages, the manual and the guides name the oldest kernel that the compiler names" \
	texts_agree
tap_exit
