#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# packaging.sh - the life of the packages for RPM distributions and for Arch Linux, by Debian's
# rpmbuild, rpm, makepkg and pacman. They are built from the source of a release, installed,
# upgraded and removed, in an overlay of this machine's files that is deleted afterwards; DKMS
# builds the module for a Debian kernel there.
#
# Debian has the libraries under other names, so that nobody checks here whether the packages'
# dependencies exist in their distributions. It runs on the host, as root. It prints TAP, and each
# command with its output.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/clone.sh"
. "$TESTS/lib/overlay.sh"

readonly TREE=${TESTS%/*}
readonly WORK=$TREE/build/packaging
# makepkg refuses to run as root, and another user may not enter the folders above the tree.
readonly BUILDER=nobody PKGS=/tmp/pkgs
FIRST=$("$TESTS/version" -p)
readonly FIRST SECOND=$FIRST.1

# ---- in the overlay ----

# rpms VERSION: prints the files of both packages
rpms() {
	find "$WORK/$1/rpm/RPMS" -name '*.rpm'
}

rpms_are_built() {
	local version

	for version in "$FIRST" "$SECOND"; do
		run rpmbuild -ba --nodeps --define "_topdir $WORK/$version/rpm" \
			--define "_sourcedir $WORK/$version" "$WORK/$version/conga.spec" || return
	done
	run find "$WORK/$FIRST/rpm/RPMS" -name '*.rpm' &&
		said "/conga-tools-$FIRST-1.$(uname -m).rpm" && said "/dkms-conga-$FIRST-1.noarch.rpm"
}

# Who builds packages for others signs them and names himself; groups are no longer used. rpmlint
# takes the "conf" of conga.conf.5 for the manual's section, and the folder of udev's rules, which
# is the same on all processors, for one of libraries.
readonly NOT_OURS='no-signature|no-packager-tag|no-group-tag|bad-manual-page-folder|.*/lib/udev/'

rpmlint_finds_nothing() {
	local errors

	# shellcheck disable=SC2046 # names without blanks
	run rpmlint "$WORK/$FIRST/conga.spec" $(rpms "$FIRST")
	said "2 packages and 1 specfiles checked" || return
	errors=$(grep ' E: ' "$SAYS" | grep -vE " E: ($NOT_OURS)")
	[[ ! $errors ]] && return
	why "$errors"
	return 1
}

rpms_are_installed() {
	# shellcheck disable=SC2046
	mkdir -p "/lib/modules/$R2" && ln -s "$K2" "/lib/modules/$R2/build" &&
		run rpm -i --nodeps $(rpms "$FIRST") && built_for "$R2" "$FIRST" && built_for "$R1" "$FIRST" &&
		run /usr/sbin/conga -V && said "conga $FIRST, module" && run /usr/sbin/congad -V &&
		run zgrep -h '^.Os' /usr/share/man/man8/conga.8 && said "conga $FIRST" &&
		run systemd-analyze verify /usr/lib/systemd/system/conga{.service,d.service,-metrics.timer} &&
		none_said
}

# DKMS forgets the old version only after it has built the new one.
rpms_are_upgraded() {
	# shellcheck disable=SC2046
	run rpm -U --nodeps $(rpms "$SECOND") && built_for "$R1" "$SECOND" &&
		run dkms status -m conga -v "$FIRST" && none_said &&
		run /usr/sbin/conga -V && said "conga $SECOND, module"
}

# leftovers: no file with the name remains
leftovers() {
	run dkms status -m conga && none_said &&
		run find /lib/modules /usr /etc /var/lib/dkms -path "$TREE" -prune -o -name '*conga*' -print &&
		none_said
}

rpms_are_removed() {
	run rpm -e conga-tools dkms-conga && leftovers
}

# pkgs VERSION: prints the files of both packages
pkgs() {
	find "$PKGS/$1" -name '*.pkg.tar*'
}

# pkg_folder NAME VERSION TARBALL: BUILDER has the recipe of the version, and a source for it
pkg_folder() {
	mkdir -p "$PKGS/$1" && cp "$WORK/$2/PKGBUILD" "$PKGS/$1" && cp "$3" "$PKGS/$1/conga-$2.tar.xz" &&
		chown -R "$BUILDER" "$PKGS/$1"
}

pkgs_are_built() {
	local version

	for version in "$FIRST" "$SECOND"; do
		pkg_folder "$version" "$version" "$WORK/$version/conga-$version.tar.xz" || return
		run env -C "$PKGS/$version" setpriv --reuid "$BUILDER" --clear-groups makepkg --nodeps --force ||
			return
	done
	run find "$PKGS/$FIRST" -name '*.pkg.tar*' &&
		said "/conga-tools-$FIRST-1-$(uname -m).pkg" && said "/conga-dkms-$FIRST-1-any.pkg"
}

# A file that is not the one of the release is not built.
other_source_is_rejected() {
	pkg_folder other "$FIRST" "$WORK/$SECOND/conga-$SECOND.tar.xz" || return
	! run env -C "$PKGS/other" setpriv --reuid "$BUILDER" --clear-groups makepkg --nodeps &&
		said "FAILED" && said "did not pass the validity check"
}

# Arch Linux's DKMS has a hook for pacman that does this.
dkms_install() {
	run dkms install "conga/$1" -k "$R1"
}

pkgs_are_installed() {
	# shellcheck disable=SC2046
	run pacman -Udd --noconfirm $(pkgs "$FIRST") && dkms_install "$FIRST" && built_for "$R1" "$FIRST" &&
		run /usr/bin/conga -V && said "conga $FIRST, module" && run /usr/bin/congad -V &&
		run systemd-analyze verify /usr/lib/systemd/system/conga{.service,d.service,-metrics.timer} &&
		none_said
}

pkgs_are_upgraded() {
	# shellcheck disable=SC2046
	run dkms remove "conga/$FIRST" --all && run pacman -Udd --noconfirm $(pkgs "$SECOND") &&
		dkms_install "$SECOND" && built_for "$R1" "$SECOND" &&
		run /usr/bin/conga -V && said "conga $SECOND, module"
}

pkgs_are_removed() {
	run dkms remove "conga/$SECOND" --all && run pacman -Rdd --noconfirm conga-tools conga-dkms &&
		rm -rf /var/lib/pacman /var/cache/pacman && leftovers
}

in_overlay() {
	SAYS=$(mktemp)
	mkdir -p /var/lib/pacman
	tap_plan 10
	tap_test "rpm: both packages are built from the source of a release" rpms_are_built
	tap_test "rpm: rpmlint finds no error" rpmlint_finds_nothing
	tap_test "rpm: DKMS builds the module for two kernels, and programs, manuals and units work" \
		rpms_are_installed
	tap_test "rpm: an upgrade builds the new module and removes the old one" rpms_are_upgraded
	tap_test "rpm: nothing is left after removal" rpms_are_removed
	tap_test "pacman: both packages are built from the source of a release" pkgs_are_built
	tap_test "pacman: a source with another checksum is rejected" other_source_is_rejected
	tap_test "pacman: installed packages have what DKMS builds, and programs and units work" \
		pkgs_are_installed
	tap_test "pacman: an upgrade replaces programs and source" pkgs_are_upgraded
	tap_test "pacman: nothing is left after removal" pkgs_are_removed
	tap_exit
}

# ---- on the host ----

# source_of VERSION: the files of this tree, with this version, and the recipes
source_of() {
	local dir=$WORK/$1 sum

	mkdir -p "$dir" && clone_tree "$TREE" "$dir/conga-$1" && rm -rf "$dir/conga-$1/.git" || return
	sed -i "s/\"$FIRST\"/\"$1\"/" "$dir/conga-$1/include/conga_version.h"
	tar -C "$dir" -cJf "$dir/conga-$1.tar.xz" "conga-$1" && rm -rf "$dir/conga-$1" || return
	read -r sum _ < <(sha256sum "$dir/conga-$1.tar.xz")
	sed "s/^Version: .*/Version: $1/" "$TREE/packaging/rpm/conga.spec" >"$dir/conga.spec"
	sed -e "s/^pkgver=.*/pkgver=$1/" -e "s/^sha256sums=.*/sha256sums=($sum)/" \
		"$TREE/packaging/arch/PKGBUILD" >"$dir/PKGBUILD"
}

main() {
	require_commands git rpmbuild rpmlint makepkg bsdtar pacman dkms
	rm -rf "$WORK"
	defer "rm -rf $WORK"
	{ source_of "$FIRST" && source_of "$SECOND"; } ||
		die "packaging.sh: the sources cannot be made"
	read -r R1 _ < <(headers_of 6.1)
	read -r R2 K2 < <(headers_of 6.12)
	overlay_run "$TESTS/install/packaging.sh" "$WORK" R1="$R1" R2="$R2" K2="$K2"
}

case ${1-} in
enter) overlay_enter "${@:2}" ;;
overlay) in_overlay ;;
*) require_root; main ;;
esac
