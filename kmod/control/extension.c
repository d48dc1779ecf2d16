// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets of a policy with an extension (policies/extension.h): HULA's probes. CONGA
 * has none such, and this file is what its own know of them.
 */
#include "control/extension.h"
#include "control/probe.h"

/* conga_extension_receive - a control packet came to all systems of a link */
void conga_extension_receive(struct conga_control_source *source)
{
	conga_probe_receive(source);
}

/* conga_extension_setup - of a fabric that nobody sees yet */
void conga_extension_setup(struct conga_fabric *fabric)
{
	conga_probe_setup(fabric);
}

/* conga_extension_restart - the fabric begins, or has another policy or other parameters */
void conga_extension_restart(struct conga_fabric *fabric)
{
	conga_probe_restart(fabric);
}

/* conga_extension_stop - before the fabric goes; sleeps */
void conga_extension_stop(struct conga_fabric *fabric)
{
	conga_probe_stop(fabric);
}
