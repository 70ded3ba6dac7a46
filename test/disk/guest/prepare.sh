#!/bin/busybox sh
# Gives the machine the hardware of a counter, all of it made by the kernel, before anything of the system looks for it: a
# radio, a receipt printer, and a phone, which is a radio in a network namespace of its own. Stays to do what it is told.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd /run/counter
for module in configfs udc-core libcomposite usb_f_printer; do insmod "modules/$module.ko"; done
insmod modules/dummy_hcd.ko
modprobe mac80211
insmod modules/mac80211_hwsim.ko radios=2

# The phone
unshare --net sleep infinity < /dev/null > /dev/null 2>&1 &
echo $! > phone.pid
sleep 1
./iw phy phy1 set netns "$(cat phone.pid)"

# The printer: what it is sent stands in `paper`.
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
gadget=/sys/kernel/config/usb_gadget/printer
mkdir -p $gadget
mkdir -p $gadget/strings/0x409 $gadget/configs/c.1 $gadget/functions/printer.counter
echo 0x04b8 > $gadget/idVendor
echo 0x0e28 > $gadget/idProduct
echo 0x0200 > $gadget/bcdUSB
echo EPSON > $gadget/strings/0x409/manufacturer
echo TM-T20III > $gadget/strings/0x409/product
echo X7XX000002 > $gadget/strings/0x409/serialnumber
# The kernel forgets the two length bytes when it counts what to send: two characters are lost at the end.
printf 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;CLS:PRINTER;\n\n' > $gadget/functions/printer.counter/pnp_string
ln -s $gadget/functions/printer.counter $gadget/configs/c.1
echo dummy_udc.0 > $gadget/UDC
: > paper
# It can be read when it is configured.
while :; do
  cat /dev/g_printer0 2> /dev/null || sleep 1
done < /dev/null >> paper &

busybox sh agent.sh < /dev/ttyS1 > /dev/ttyS1 2> agent.log &
