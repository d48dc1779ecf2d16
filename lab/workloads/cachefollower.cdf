# SPDX-License-Identifier: GPL-2.0
# Cache follower: A. Roy et al., Inside the Social Network's (Datacenter) Network,
# SIGCOMM 2015.
# bytes, cumulative probability; linear between points. Mean 712,570 bytes.
70 0
70 0.01
150 0.04
300 0.08
350 0.19
450 0.2
500 0.28
600 0.3
700 0.35
1100 0.4
2000 0.42
10000 0.48
30000 0.5
100000 0.52
200000 0.6
400000 0.68
600000 0.7
1500000 0.701
2000000 0.8
2400000 0.9
3000000 1
