#!/bin/sh
# Makes the root of a disk: make-root.sh WORK BASE.tar NODE.deb PULL.deb SOURCES UNPACKED.deb...
# Leaves, in WORK: root.squashfs, linux, initrd, packages (dpkg's list of what is inside), and in WORK/loader what
# firmware reads (FIRMWARE: paths in the packages). MODULES: a list of modules beside modules.txt, or none; REMOVED: one of
# paths beside removed.txt, or none.
set -eu
work=$1 base=$2 node=$3 pull=$4 sources=$5
shift 5
root=$work/root
mkdir -p "$root"
tar -x --numeric-owner --exclude './dev/*' -f "$base" -C "$root"
for folder in dev proc; do mount --rbind "/$folder" "$root/$folder"; done

# Kernel, boot loader, firmware: their files alone.
for deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root"
  dpkg-deb -W --showformat='${Package}\t${Version}\t${Source}\t${Architecture}\n' "$deb" >> "$work/packages"
done
mv "$root"/boot/vmlinuz-* "$work/linux"
mkdir "$work/loader"
for path in $FIRMWARE; do cp "$root"/$path "$work/loader"; done
# With device trees of boards whose firmware has none, and scripts of packages that would copy all this.
rm -rf "$root/boot" "$root/usr/lib/systemd/boot" "$root/usr/lib/u-boot" "$root/usr/lib/raspi-firmware" \
  "$root"/usr/lib/linux-image-* "$root/etc/kernel" "$root/etc/initramfs" "$root/etc/default/raspi-firmware"
version=$(ls "$root/lib/modules")

# Modules: those of the list, and what they need.
modules=$root/lib/modules/$version
depmod -b "$root" "$version"
cat "$sources/modules.txt" ${MODULES:+"$sources/$MODULES"} | grep -v '^#' | while read -r pattern; do
  [ -z "$pattern" ] || (cd "$modules/kernel" && for path in $pattern; do [ ! -e "$path" ] || find "$path" -name '*.ko' ! -name 'test_*' ! -name '*-error-inject.ko'; done)
done | sed 's,^,kernel/,' | sort -u > "$work/wanted"
awk -F': *' 'NR == FNR { wanted[$1]; next } $1 in wanted { print $1; n = split($2, needs, " "); for (i = 1; i <= n; i++) print needs[i] }' \
  "$work/wanted" "$modules/modules.dep" | sort -u > "$work/kept"
(cd "$modules" && find kernel -name '*.ko' | sort | comm -23 - "$work/kept" | xargs rm -f && find kernel -type d -empty -delete)
depmod -b "$root" "$version"
# Firmware: what those modules ask for. Of the radios of Intel the driver tries older versions than it names.
(cd "$modules" && xargs modinfo -F firmware < "$work/kept") | sort -u > "$work/firmware"
(
  cd "$root/lib/firmware"
  find . \( -type f -o -type l \) | sed 's,^\./,,' | sort > "$work/all"
  { comm -12 "$work/all" "$work/firmware"; grep -e '^iwlwifi-' -e '^regulatory\.db' -e '^brcm/' -e '\.txt$' "$work/all"; } > "$work/named"
  # Some are names for a file elsewhere.
  xargs -d '\n' realpath -m --relative-to=. < "$work/named" | sort -u - "$work/named" | comm -23 "$work/all" - | xargs -d '\n' rm -f
)
(cd "$root/lib/firmware" && ls iwlwifi-* 2> /dev/null | sed 's/-[0-9]*\.ucode$//' | sort -u | while read -r family; do
  ls "$family"-*.ucode 2> /dev/null | sort -V | head -n -1 | xargs -r rm -f
done)
# Which channels a country allows, by the names that the kernel asks for, in the copy that its key signs.
for name in regulatory.db regulatory.db.p7s; do
  mv "$root/lib/firmware/$name-debian" "$root/lib/firmware/$name.new"
  rm -f "$root/lib/firmware/$name" "$root/lib/firmware/$name-upstream"
  mv "$root/lib/firmware/$name.new" "$root/lib/firmware/$name"
done
find -L "$root/lib/firmware" -type l -delete
find "$root/lib/firmware" -type d -empty -delete

# The node, and the program beside it, which is off until there is a file for it.
for deb in "$node" "$pull"; do
  cp "$deb" "$root/tillnode.deb"
  chroot "$root" dpkg --force-depends -i /tillnode.deb > /dev/null
  rm "$root/tillnode.deb"
done
ln -s /data/system/tillnode-pull.json "$root/etc/tillnode-pull.json"
chroot "$root" dpkg-query -W --showformat='${Package}\t${Version}\t${source:Package}\t${Architecture}\n' >> "$work/packages"

# What the disk has of its own, over Debian's.
cp -RT --no-preserve=ownership "$sources/root" "$root"
cp --no-preserve=ownership "$work/system.js" "$root/usr/lib/tillnode/disk/system.js"
chroot "$root" systemctl --quiet mask $(grep -v '^#' "$sources/masked.txt")
# Which disk is whose says mount-data, not what systemd would find by itself; the others would find nothing.
mkdir -p "$root/etc/systemd/system-generators"
for name in gpt-auto fstab cryptsetup debug getty hibernate-resume integritysetup rc-local run system-update sysv veritysetup; do ln -s /dev/null "$root/etc/systemd/system-generators/systemd-$name-generator"; done
chroot "$root" systemctl --quiet enable tillnode-good.service tillnode-prepared.service tillnode-start.service tillnode-system.socket
# What has the time asks the network for it, and so comes behind it; the stored one is there before (mount-data).
sed -i '/^Before=/s/ sysinit\.target//' "$root/usr/lib/systemd/system/systemd-timesyncd.service"
mv "$root/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service" "$root/etc/systemd/system/multi-user.target.wants"
# NetworkManager asks for it where there is a radio.
rm "$root/etc/systemd/system/multi-user.target.wants/wpa_supplicant.service"
# Nor has NetworkManager more to look after than cables and radios, or scripts to run.
rm "$root"/usr/lib/*/NetworkManager/*/libnm-*adsl.so "$root"/usr/lib/*/NetworkManager/*/libnm-*bluetooth.so \
  "$root"/usr/lib/*/NetworkManager/*/libnm-*team.so "$root"/usr/lib/*/NetworkManager/*/libnm-*wwan.so \
  "$root"/usr/lib/*/NetworkManager/*/libnm-*ppp*.so "$root"/usr/lib/*/NetworkManager/*/libnm-*ifupdown.so \
  "$root/etc/NetworkManager/dispatcher.d/01-ifupdown"
# Nobody logs in.
chroot "$root" sh -c 'for user in $(cut -d: -f1 /etc/passwd); do usermod -L -s /usr/sbin/nologin "$user" 2> /dev/null; done'

# The initramfs, before its programs' library paths can no longer be asked for.
initramfs=$work/initramfs
mkdir -p "$initramfs/bin" "$initramfs/proc" "$initramfs/sys" "$initramfs/dev" "$initramfs/run" "$initramfs/root"
cp "$sources/initramfs/init" "$initramfs/init"
cp "$root/bin/busybox" "$root/sbin/dmsetup" "$initramfs/bin"
chroot "$root" ldd /sbin/dmsetup | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$initramfs$(dirname "$library")"
  cp -L "$root$library" "$initramfs$library"
done
early='/(drivers/(ata|scsi|nvme|mmc|block|virtio|md|usb/(core|common|host|storage|dwc2|dwc3|chipidea|phy)|watchdog|hid|pci|phy|clk|mfd|gpio|pinctrl|regulator|i2c|reset|dma|mailbox|soc|nvmem)|fs/(ext4|fat|jbd2|mbcache|squashfs|nls/nls_(ascii|cp437).ko)|crypto/(sha256|crc32c)_generic|arch/[^/]*/crypto/(sha256|sha2-ce|crc32)[^/]*)'
mkdir -p "$initramfs/lib/modules/$version"
for name in modules.order modules.builtin modules.builtin.modinfo; do cp "$modules/$name" "$initramfs/lib/modules/$version"; done
(cd "$modules" && find kernel -name '*.ko' | sort | grep -E "$early" | cpio -pdm --quiet "$initramfs/lib/modules/$version")
# What those need, wherever it is.
awk -F': *' '{ print $1; n = split($2, needs, " "); for (i = 1; i <= n; i++) print $1, needs[i] }' "$modules/modules.dep" > "$work/needs"
(cd "$modules" && grep -E "^kernel$early" "$work/needs" | awk 'NF == 2 { print $2 }' | sort -u | cpio -pdum --quiet "$initramfs/lib/modules/$version")
depmod -b "$initramfs" "$version" 2> /dev/null

umount -l "$root/dev" "$root/proc"
# apt, and what only it and scripts of packages need, are gone; so is what says when this was made.
cat "$sources/removed.txt" ${REMOVED:+"$sources/$REMOVED"} | grep -v '^#' | tr ' ' '\n' > "$work/removed"
for name in $(grep -v / "$work/removed"); do
  for list in "$root/var/lib/dpkg/info/$name".list "$root/var/lib/dpkg/info/$name":*.list; do
    [ ! -e "$list" ] || grep -v '/copyright$' "$list" | while read -r path; do
      [ -d "$root$path" ] || rm -f "$root$path"
    done
  done
done
for path in $(grep / "$work/removed" | sed "s,^,$root,"); do rm -rf "$path"; done
find -L "$root/usr/lib/firmware" -type l -delete
rm -rf "$root"/var/* "$root"/tmp/* "$root"/run/* "$root"/etc/apt "$root"/etc/dpkg "$root"/etc/*- "$root"/etc/.pwd.lock \
  "$root"/etc/ld.so.cache "$root"/etc/machine-id "$root"/etc/hostname "$root"/usr/share/perl* "$root"/usr/share/debconf \
  "$root"/usr/lib/udev/hwdb.d "$root"/usr/lib/udev/hwdb.bin "$root"/usr/lib/*/gconv "$root"/etc/ssl "$root"/etc/resolv.conf "$root"/etc/fstab
chroot "$root" /sbin/ldconfig -X
rm "$root/sbin/ldconfig"
rm -rf "$root"/var/*
mkdir -p "$root/data" "$root/boot"
: > "$root/etc/machine-id"
echo tillnode > "$root/etc/hostname"
ln -s /run/NetworkManager/resolv.conf "$root/etc/resolv.conf"

find "$root" "$initramfs" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
(cd "$initramfs" && find . | LC_ALL=C sort | cpio -o -H newc --reproducible -R 0:0 --quiet) | zstd -q -19 -T1 > "$work/initrd"
(
  cd "$root"
  priority=32767
  for path in $(grep -v '^#' "$sources/start-order.txt"); do
    [ ! -e "$path" ] || find "$path" -type f | sed "s/\\\\/&&/g; s/\$/ $priority/"
    priority=$((priority - 1))
  done
) > "$work/order"
mksquashfs "$root" "$work/root.squashfs" -sort "$work/order" -comp zstd -Xcompression-level "$ZSTD_CLEVEL" -b 512K -processors 1 -noappend -no-progress -quiet -no-xattrs > /dev/null
rm -rf "$root" "$initramfs"
