// SPDX-License-Identifier: GPL-2.0
/* The policies of this module, by place and by name. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "policies/policy.h"

static const struct conga_policy *const conga_policies[] = {
#define CONGA_POLICY(name) &conga_policy_##name,
#include "policies/policy_table.h"
#undef CONGA_POLICY
};

/* conga_policy_get - the policy at @index, NULL past the last */
const struct conga_policy *conga_policy_get(unsigned int index)
{
	return index < ARRAY_SIZE(conga_policies) ? conga_policies[index] : NULL;
}

/* conga_policy_find - finds a policy by name; NULL if unknown */
const struct conga_policy *conga_policy_find(const char *name)
{
	const struct conga_policy *policy;
	unsigned int i;

	for (i = 0; (policy = conga_policy_get(i)); i++)
		if (!strcmp(policy->name, name))
			return policy;
	return NULL;
}

/* conga_policy_opt_out - the policy for traffic that the user exempted */
const struct conga_policy *conga_policy_opt_out(void)
{
	return &conga_policy_ecmp;
}
