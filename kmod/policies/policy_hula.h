/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_POLICY_HULA_H
#define _CONGA_POLICY_HULA_H

/* Inline, because under HULA conga_tx() and conga_forward() ask for every flowlet whether
 * the last probe is too old (datapath/extension.h).
 */
#include <linux/types.h>

enum {
	CONGA_HULA_PARAM_FAIL,
	CONGA_HULA_PARAM_NEAR,
};

/* conga_policy_hula_fail - probe intervals without a probe, after which a hop is given up */
static inline u32 conga_policy_hula_fail(const u32 *param)
{
	return param[CONGA_HULA_PARAM_FAIL];
}

/* conga_policy_hula_near - steps of utilisation that a hop may have more than the best */
static inline u8 conga_policy_hula_near(const u32 *param)
{
	return param[CONGA_HULA_PARAM_NEAR];
}

#endif /* _CONGA_POLICY_HULA_H */
