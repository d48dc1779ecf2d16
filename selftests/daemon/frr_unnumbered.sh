#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# conga follows FRR, eBGP without addresses on the links: see evpn.sh.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/evpn.sh"

FRR_UNDERLAY=unnumbered
evpn_main "$@"
