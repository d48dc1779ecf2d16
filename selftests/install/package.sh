#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# package.sh - the life of the Debian packages that "make deb" has built. They are installed,
# upgraded, removed and purged, and the module is built for a second kernel when that is
# installed. All this happens in an overlay of this machine's files that is deleted afterwards.
# Then the first command of the packaged tool, in a virtual machine, loads the module that DKMS
# built.
#
# It runs on the host, as root; it runs itself in the overlay ("package.sh overlay") and in the
# machine ("package.sh machine"). It prints TAP, and each command with its output.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/documents.sh"
. "$TESTS/lib/overlay.sh"

readonly TREE=${TESTS%/*}
readonly DEB=$TREE/build/deb WORK=$TREE/build/package
readonly VM_SECONDS=900
readonly VERSION_HEADER=include/conga_version.h
FIRST=$("$TESTS/version" -p)
readonly FIRST SECOND=$FIRST+upgrade

# ---- in the overlay ----

deb_of() {
	echo "$WORK/$1/$2"_*.deb
}

installed() {
	# shellcheck disable=SC2046 # two names without blanks
	run dpkg -i $(deb_of "$FIRST" conga-dkms) $(deb_of "$FIRST" conga-tools) || return
	built_for "$R1" "$FIRST"
}

# DKMS signs with a key of this machine, for machines with Secure Boot.
is_signed() {
	run modinfo -k "$R1" -F signer conga && said "DKMS module signing key" &&
		run ls /var/lib/dkms/mok.pub
}

# This computer has no firmware that keeps keys, and does not reboot. The certificate that mokutil
# gets must be one.
secure_boot_shell() {
	apt() { dpkg --status conga-dkms && apt-cache show mokutil; }
	mokutil() { openssl x509 -inform DER -in "$2" -noout -subject; }
	reboot() { :; }
	uname() { echo "$R1"; }
	modinfo() { command modinfo -k "$R1" "$@"; }
	modprobe() { command modprobe --dry-run --ignore-install --set-version "$R1" "$@"; }
	cd "$(mktemp -d)" || return
}

# secure_boot HEADING LAST-LINE
secure_boot() {
	document_runs Documentation/user/secure-boot.md "$1" secure_boot_shell &&
		[[ $(tail -n 1 <<<"$DOCUMENT_SAID") =~ $2 ]] && return
	why "$DOCUMENT_SAID"
	return 1
}

# A key's number is hexadecimal bytes.
as_secure_boot_says() {
	secure_boot "With DKMS" "DKMS module signing key" && secure_boot "With make install" '^([0-9A-F]{2}:)+[0-9A-F]{2}$'
}

tools_work() {
	run conga -V && said "conga $FIRST, module" && run congad -V && said "congad $FIRST" &&
		run zgrep '^.Os' /usr/share/man/man8/conga.8.gz && said "conga $FIRST" &&
		run ls /usr/share/man/man{5/conga.conf.5,7/conga.7,8/conga.8,8/congad.8}.gz \
			/usr/share/bash-completion/completions/conga \
			/lib/systemd/system/congad.service \
			/usr/share/conga/conga.{lua,rules.yml,json}
}

# Installation enables no service, because the operator decides what the node does. An upgrade
# restarts running services, and a removal stops them.
units_rest() {
	run systemd-analyze verify /lib/systemd/system/conga{.service,d.service,-metrics.timer} &&
		none_said &&
		run find /etc/systemd/system -name 'conga*' && none_said || return
	run grep deb-systemd-invoke /var/lib/dpkg/info/conga-tools.postinst && said congad &&
		run grep deb-systemd-invoke /var/lib/dpkg/info/conga-tools.prerm &&
		said "stop 'conga.service'" && said "'congad.service'" && said "'conga-metrics.timer'"
}

# The package of a kernel runs this when it is installed.
second_kernel() {
	mkdir -p "/lib/modules/$R2" && ln -s "$K2" "/lib/modules/$R2/build" &&
		run run-parts --report --exit-on-error --arg="$R2" --regex '^dkms$' \
			/etc/kernel/postinst.d &&
		built_for "$R2" "$FIRST" && built_for "$R1" "$FIRST"
}

upgraded() {
	# shellcheck disable=SC2046
	run dpkg -i $(deb_of "$SECOND" conga-dkms) $(deb_of "$SECOND" conga-tools) || return
	built_for "$R1" "$SECOND" && built_for "$R2" "$SECOND" || return
	run dkms status -m conga -v "$FIRST" && none_said &&
		run ls -d "/usr/src/conga-$SECOND" &&
		mkdir -p "$WORK/modules" &&
		cp "/lib/modules/$R1/updates/dkms/conga.ko" "$WORK/modules/$R1.ko" &&
		cp "/lib/modules/$R2/updates/dkms/conga.ko" "$WORK/modules/$R2.ko"
}

# After a purge no file with the name remains, and DKMS keeps nothing.
removed() {
	run dpkg -r conga-tools conga-dkms && run dkms status -m conga && none_said &&
		run dpkg -P conga-tools conga-dkms &&
		run find /lib/modules /usr /etc /var/lib/dkms /var/lib/systemd -path "$TREE" -prune \
			-o -name '*conga*' -print &&
		none_said
}

in_overlay() {
	SAYS=$(mktemp)
	tap_plan 8
	tap_test "the installed package builds the module by DKMS for the kernel whose headers are there" \
		installed
	tap_test "DKMS signs the module" is_signed
	tap_test "the commands of secure-boot.md sign the module" as_secure_boot_says
	tap_test "tools, manuals, completion, units and dissector are installed and work" tools_work
	tap_test "units are valid and not enabled" units_rest
	tap_test "the module is built for a second kernel when it is installed" second_kernel
	tap_test "an upgrade builds the module for both kernels, and removes the old version" \
		upgraded
	tap_test "nothing is left after remove and purge" removed
	tap_exit
}

# ---- in the machine ----

# over_modules DIR: mounts a writable layer, since the machine's modules are read-only
over_modules() {
	local dir

	dir=$(mktemp -d) && mount -t tmpfs tmpfs "$dir" && mkdir "$dir/upper" "$dir/work" &&
		mount -t overlay -o "lowerdir=$1,upperdir=$dir/upper,workdir=$dir/work" overlay "$1"
}

# The module is where DKMS put it; the first command finds it there.
loads_itself() {
	local release

	release=$(uname -r)
	over_modules "/lib/modules/$release" || return
	run dpkg -i --force-depends "$(deb_of "$SECOND" conga-tools)" &&
		install -D "$WORK/modules/$release.ko" "/lib/modules/$release/updates/dkms/conga.ko" &&
		depmod "$release" || return
	run /usr/sbin/conga fabric add && run /usr/sbin/conga fabric show && said "policy conga" &&
		run /usr/sbin/conga -V && said "conga $SECOND, module $SECOND" || return
	[[ $(</sys/module/conga/srcversion) == "$(modinfo -F srcversion conga)" ]] ||
		{ why "another module is loaded"; return 1; }
}

unloads() {
	run /usr/sbin/conga fabric del && run modprobe -r conga && [[ ! -e /sys/module/conga ]]
}

# The test simulates Secure Boot: this kernel does not trust DKMS's key. A node with this key
# enrolled is not tested here, because the machine has no firmware to enrol it in.
refused_where_enforced() {
	echo 1 >/sys/module/module/parameters/sig_enforce || return
	! run modprobe conga && said "Key was rejected by service"
}

in_machine() {
	SAYS=$(mktemp)
	tap_plan 3
	tap_test "the packaged tool loads the module that DKMS built for $(uname -r)" loads_itself
	tap_test "the module can be removed again" unloads
	tap_test "enforced signatures reject the module until its key is enrolled" \
		refused_where_enforced
	tap_exit
}

# ---- on the host ----

# This is a higher version of the same tree.
build_upgrade() {
	local dir=$WORK/source

	cp -a "$DEB/conga" "$dir" && cd "$dir" || return
	sed -i "1s/($FIRST)/($SECOND)/" debian/changelog
	sed -i "s/\"$FIRST\"/\"$SECOND\"/" "$VERSION_HEADER"
	dpkg-buildpackage -b -us -uc -tc >"$WORK/log" 2>&1 || { tail "$WORK/log"; return 1; }
}

collect() {
	mkdir -p "$WORK/$FIRST" "$WORK/$SECOND" &&
		cp "$DEB"/conga-{dkms,tools}_*.deb "$WORK/$FIRST" && build_upgrade &&
		mv "$WORK"/conga-{dkms,tools}_*.deb "$WORK/$SECOND"
}

main() {
	local status=0

	[[ -d $DEB/conga ]] || die "package.sh: first make deb"
	rm -rf "$WORK"
	defer "rm -rf $WORK"
	collect || die "package.sh: no packages to upgrade to"
	read -r R1 _ < <(headers_of 6.1)
	read -r R2 K2 < <(headers_of 6.12)
	overlay_run "$TESTS/install/package.sh" "$WORK" R1="$R1" R2="$R2" K2="$K2" || status=1
	[[ -e $WORK/modules/$R1.ko ]] || return 1
	"$TESTS/vm/run" -t "$VM_SECONDS" -- "$TESTS/install/package.sh" machine || status=1
	return "$status"
}

case ${1-} in
enter) overlay_enter "${@:2}" ;;
overlay) in_overlay ;;
machine) in_machine ;;
*) require_root; main ;;
esac
