# SPDX-License-Identifier: GPL-2.0
# Data mining: A. Greenberg et al., VL2, SIGCOMM 2009, as tabulated for pFabric
# (M. Alizadeh et al., SIGCOMM 2013). Half of the flows are one segment of 1,460 bytes.
# bytes, cumulative probability; linear between points. Mean 7,470,236 bytes.
1460 0
1460 0.5
2920 0.6
4380 0.7
10220 0.8
389820 0.9
3076220 0.95
97333820 0.99
973333820 1
