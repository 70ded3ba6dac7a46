#!/bin/busybox sh
# Gives the machine the hardware of a counter, all of it made by the kernel, before anything of the system looks for it: a
# radio, two receipt printers, of which one is plugged in, and a phone, which is a radio in a network namespace of its own.
# Stays to do what it is told.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd /run/counter
for module in configfs udc-core libcomposite usb_f_printer; do insmod "modules/$module.ko"; done
insmod modules/dummy_hcd.ko num=2
modprobe mac80211
insmod modules/mac80211_hwsim.ko radios=2

# The phone
unshare --net sleep infinity < /dev/null > /dev/null 2>&1 &
echo $! > phone.pid
until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do busybox usleep 10000; done
./iw phy phy1 set netns "$(cat phone.pid)"

mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
# A receipt printer: printer NUMBER SERIAL, from 0. What it is sent goes out of a serial line, as paper does. Its cable is
# plugged in by the name of its controller in its `UDC`, and pulled by an empty one.
printer() {
  gadget=/sys/kernel/config/usb_gadget/printer$1
  mkdir -p $gadget
  mkdir -p $gadget/strings/0x409 $gadget/configs/c.1 "$gadget/functions/printer.$1"
  echo 0x04b8 > $gadget/idVendor
  echo 0x0e28 > $gadget/idProduct
  echo 0x0200 > $gadget/bcdUSB
  echo EPSON > $gadget/strings/0x409/manufacturer
  echo TM-T20III > $gadget/strings/0x409/product
  echo "$2" > $gadget/strings/0x409/serialnumber
  # The kernel forgets the two length bytes when it counts what to send: two characters are lost at the end.
  printf 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;CLS:PRINTER;\n\n' > "$gadget/functions/printer.$1/pnp_string"
  ln -s "$gadget/functions/printer.$1" $gadget/configs/c.1
  paper=/dev/ttyS$((2 + $1))
  busybox stty -F $paper raw 115200
  # The kernel's log says when the line of a receipt is in the printer.
  mkfifo "taken$1"
  while :; do
    while read -r line; do
      case $line in *'First receipt'*) echo "counter: a receipt is in printer $1" > /dev/kmsg ;; esac
    done < "taken$1"
  done &
  # It can be read when it is configured. What it took comes out slowly.
  while :; do
    cat "/dev/g_printer$1" 2> /dev/null || busybox usleep 100000
  done < /dev/null | busybox tee "taken$1" | while :; do
    busybox dd bs=32 count=1 2> /dev/null
    busybox usleep 50000
  done > $paper &
}
printer 0 X7XX000002
printer 1 X7XX000003
echo dummy_udc.0 > /sys/kernel/config/usb_gadget/printer0/UDC

busybox sh agent.sh < /dev/ttyS1 > /dev/ttyS1 2> agent.log &
