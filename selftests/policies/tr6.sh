#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Policy tr over IPv6: see tr.sh.

TR_UNDERLAY=6
# shellcheck source=selftests/policies/tr.sh
. "$(dirname "$(realpath "$0")")/tr.sh"
