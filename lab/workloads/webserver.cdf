# SPDX-License-Identifier: GPL-2.0
# Web server: A. Roy et al., Inside the Social Network's (Datacenter) Network,
# SIGCOMM 2015.
# bytes, cumulative probability; linear between points. Mean 66,115 bytes.
150 0
300 0.2
600 0.2
1000 0.3
2000 0.4
3100 0.5
6000 0.6
20000 0.71
60000 0.8
150000 0.82
300000 0.9
500000 1
