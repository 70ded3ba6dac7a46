#!/bin/busybox sh
# What udhcpc(8) calls with the address that it was given.
[ "$1" = bound ] || exit 0
/bin/busybox ip addr add "$ip/${mask:-24}" dev "$interface"
