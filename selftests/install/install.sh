#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh - make install puts all files under DESTDIR according to PREFIX, and make uninstall
# removes exactly these. It runs on the host, and writes nothing outside DESTDIR.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

readonly TREE=${TESTS%/*}
KDIR=${KDIR:-$("$TESTS/vm/headers")}
RELEASE=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$KDIR/include/generated/utsrelease.h")
VERSION=$("$TESTS/version" -p)
DEST=$(mktemp -d)
defer "rm -rf $DEST"

# tree TARGET PREFIX: prints the output of make if it fails
tree() {
	make -s -C "$TREE" "$1" KDIR="$KDIR" DESTDIR="$DEST" PREFIX="$2" >"$DEST.log" 2>&1 && return
	why "make $1 failed: $(tail -n 1 "$DEST.log")"
	return 1
}
defer "rm -f $DEST.log"

installed() {
	(cd "$DEST" && find . -type f -printf '%P\n' | sort)
}

# expected PREFIX: prints the list of all files that must exist
expected() {
	local page unit

	{
		echo "lib/modules/$RELEASE/updates/conga.ko"
		printf "$1/%s\n" sbin/conga{,d} include/linux/conga.h \
			share/conga/conga.{lua,conf,rules.yml,json} \
			share/bash-completion/completions/conga lib/udev/rules.d/90-conga.rules
		for page in "$TREE"/Documentation/man/*; do
			echo "$1/share/man/man${page##*.}/${page##*/}"
		done
		for unit in "$TREE"/userspace/dist/*.{service,timer}; do
			[[ ! -e $unit ]] || echo "$1/lib/systemd/system/${unit##*/}"
		done
	} | sort
}

is_there() {
	local said

	tree install "/$1" || return
	said=$(diff <(expected "$1") <(installed)) && return
	why "the installed files differ (<: missing, >: not expected): ${said//$'\n'/ }"
	return 1
}

# The units call the installed programs, and no program of another prefix.
units_fit() {
	local file

	while read -r file; do
		[[ $file == /usr/bin/* || $file == /bin/* || -x $DEST$file ]] ||
			{ why "a unit calls $file, which is not installed"; return 1; }
	done < <(sed -nE 's/^Exec[A-Za-z]+=[-@+!]*([^ ]+).*/\1/p' "$DEST/$1"/lib/systemd/system/*)
}

runs() {
	local said

	"$DEST/$1/sbin/conga" -V >/dev/null && "$DEST/$1/sbin/congad" -V >/dev/null
}

is_gone() {
	local said

	tree uninstall "/$1" || return
	said=$(installed)
	[[ -z $said ]] && return
	why "files are left: ${said//$'\n'/ }"
	return 1
}

# version_is FILE GOT: the file has the version of include/conga_version.h
version_is() {
	[[ $2 == "$VERSION" ]] && return
	why "$1 has version ${2:-none}, expected $VERSION"
	return 1
}

versions_agree() {
	local page said

	said=$("$DEST/$1/sbin/conga" -V)
	said=${said#conga }
	version_is conga "${said%, module *}" || return
	version_is congad "$("$DEST/$1/sbin/congad" -V | sed 's/^congad //')" || return
	version_is conga.ko "$(modinfo -F version "$DEST/lib/modules/$RELEASE/updates/conga.ko")" || return
	for page in "$DEST/$1"/share/man/man*/*; do
		version_is "$page" "$(sed -n 's/^\.Os conga //p' "$page")" || return
	done
}

# DKMS builds from what install-dkms writes, with nothing else of the tree.
dkms_source_builds() {
	local source=$DEST/usr/src/conga-$VERSION

	tree install-dkms "/$1" && version_is dkms.conf "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$source/dkms.conf")" &&
		"$TESTS/vm/kbuild" -k 6.1 "$source" -s modules >"$DEST.log" 2>&1 &&
		version_is "the module of DKMS" "$(modinfo -F version "$source/conga.ko")" || return
	rm -rf "$DEST/usr/src"
}

tap_plan 9
for prefix in usr opt/conga; do
	tap_test "/$prefix: everything is installed, and nothing else" is_there "$prefix"
	tap_test "/$prefix: units call installed programs, and the programs run" \
		eval "units_fit $prefix && runs $prefix"
	tap_test "/$prefix: module, programs and manuals have the version of the project" \
		versions_agree "$prefix"
	tap_test "/$prefix: uninstall leaves nothing" is_gone "$prefix"
done
tap_test "the source for DKMS is complete and has the version of the project" dkms_source_builds usr
tap_exit
