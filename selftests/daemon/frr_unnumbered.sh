#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# conga follows FRR, eBGP without addresses on the links: see evpn.sh.

# shellcheck source=selftests/lib/evpn.sh
. "$(dirname "$(realpath "$0")")/../lib/evpn.sh"

FRR_UNDERLAY=unnumbered
evpn_main "$@"
