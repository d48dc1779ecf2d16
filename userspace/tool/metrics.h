/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics are all numbers for Prometheus. */
#ifndef CONGA_TOOL_METRICS_H
#define CONGA_TOOL_METRICS_H

#include "tool/grammar.h"

extern const struct conga_object conga_metrics_object;

#endif /* CONGA_TOOL_METRICS_H */
