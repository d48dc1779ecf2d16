#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Policy tr over IPv6: see tr.sh.

TESTS=$(realpath "$(dirname "$0")/..")
TR_UNDERLAY=6
. "$TESTS/policies/tr.sh"
