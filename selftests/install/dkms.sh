#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dkms.sh [SUITE-PROCESSOR...] - the package conga-dkms that "make deb" has built is installed on
# a new Debian, in which DKMS builds the module with the headers and the compiler of that Debian,
# and is purged again. Debians are those of SYSTEMS, or of the words. Programs for arm64 run
# emulated, which takes the compiler of unstable an hour.
#
# It runs on the host, as root; it runs itself in a mount namespace ("dkms.sh inside ..."), since
# mounts must end with it. It prints TAP, and each command with its output.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/debian.sh"
. "$TESTS/lib/overlay.sh"

readonly DEB=${TESTS%/*}/build/deb
readonly SYSTEMS=(bookworm-amd64 trixie-amd64 sid-amd64 bookworm-arm64 trixie-arm64 sid-arm64)
readonly HANDLERS=/proc/sys/fs/binfmt_misc
VERSION=$("$TESTS/version" -p)
readonly VERSION

# ---- programs for arm64 ----

# The kernel keeps handlers for all mount namespaces, so that one that was there remains.
emulate() {
	mount -t binfmt_misc binfmt_misc "$HANDLERS" || return
	[[ ! -e $HANDLERS/qemu-aarch64 ]] || return 0
	cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$HANDLERS/register" &&
		defer "echo -1 >$HANDLERS/qemu-aarch64"
}

# ---- one Debian ----

# on COMMAND...: runs it there
on() {
	run chroot "$DIR" "$@"
}

# The one whose headers are installed
release() {
	cd "$DIR/lib/modules" && echo ./*/build | cut -d / -f 2
}

installed() {
	cp "$DEB/conga-dkms_${VERSION}_all.deb" "$DIR/conga-dkms.deb" &&
		on dpkg -i /conga-dkms.deb && rm "$DIR/conga-dkms.deb"
}

# The module may be compressed. modinfo does not find it by its name where no kernel is installed
# beside the headers (unstable).
built() {
	local release file

	release=$(release)
	on dkms status -m conga -v "$VERSION" && said "conga/$VERSION, $release, " &&
		said ": installed" || return
	file=$(cd "$DIR" && echo lib/modules/"$release"/updates/dkms/conga.ko*)
	on modinfo -F vermagic "/$file" && said "$release " &&
		on modinfo -F version "/$file" && said "$VERSION"
}

purged() {
	on dpkg -P conga-dkms && on dkms status -m conga && none_said &&
		on find /lib/modules /usr /etc /var/lib/dkms -name '*conga*' && none_said
}

# lives_on SUITE-PROCESSOR
lives_on() {
	local status=0

	DIR=$WORK/$1
	debian_new "$DIR" "${1%-*}" dkms,"linux-headers-${1#*-}" --arch "${1#*-}" ||
		fail "there is no such Debian" || return
	debian_mount "$DIR" && installed && built && purged || status=$?
	umount -l -R "$DIR"/{proc,sys,dev} && rm -rf --one-file-system "$DIR" || status=$?
	return "$status"
}

# ---- all ----

inside() {
	local system

	SAYS=$(mktemp)
	WORK=$(mktemp -d)
	defer "rm -rf --one-file-system '$SAYS' '$WORK'"
	emulate || return
	tap_plan $#
	for system; do
		tap_test "DKMS builds the module on $system, and leaves nothing" lives_on "$system"
	done
	tap_exit
}

main() {
	[[ -d $DEB ]] || die "dkms.sh: first make deb"
	require_commands debootstrap qemu-aarch64-static
	(($#)) || set -- "${SYSTEMS[@]}"
	exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive unshare --mount "$0" inside "$@"
}

if [[ ${1-} == inside ]]; then
	inside "${@:2}"
else
	main "$@"
fi
