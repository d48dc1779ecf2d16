#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# conga follows FRR, eBGP over addressed links: see evpn.sh. In this test zebra creates nexthop
# groups, and keeps only groups that it uses.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/evpn.sh"

FRR_UNDERLAY=numbered
FRR_NEXTHOPS="zebra nexthop-group keep 1"
# leaf-single.sh makes entries by hand that a newer zebra makes itself.
if [[ $FRR_ROOT ]]; then
	evpn_main
else
	evpn_main single
fi
