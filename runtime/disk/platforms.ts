/** What a disk image is made of, by architecture: Debian's packages, and the names that its firmware looks for. */

/** Of the machines of one architecture (dpkg-architecture(1)). */
export interface Platform {
  /** Packages whose files are taken and whose scripts are not run: the kernel, the boot loader, firmware. */
  readonly unpacked: readonly string[];
  /** The boot loader in `usr/lib/systemd/boot/efi`, and the path at which UEFI firmware looks for it (UEFI 2.10, 3.5.1.1). */
  readonly loader: { readonly file: string; readonly path: string };
  /** The serial line on which a machine says what its kernel does, for `console=`. */
  readonly serial: string;
}

/** Debian's release, and the parts of its archive. */
export const RELEASE = 'bookworm';
export const COMPONENTS = ['main', 'non-free-firmware'] as const;

/** What is installed, with its dependencies and what is essential. */
export const INSTALLED = [
  // Without it apt would take the program that merges /usr, and a whole Perl with that.
  'usr-is-merged',
  ...['systemd-sysv', 'systemd-timesyncd', 'udev', 'dbus', 'kmod', 'mount', 'adduser', 'polkitd', 'libstdc++6'],
  ...['network-manager', 'wpasupplicant', 'dnsmasq-base', 'nftables', 'iproute2', 'wireless-regdb'],
  // Of the data partition: grown, made, checked; busybox is also the program of the initramfs.
  ...['e2fsprogs', 'fdisk', 'dmsetup', 'busybox-static'],
] as const;

const FIRMWARE = ['realtek', 'iwlwifi', 'atheros', 'brcm80211', 'misc-nonfree'].map((name) => `firmware-${name}`);

/** All platforms, by the Debian name of their architecture. */
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  amd64: {
    unpacked: ['linux-image-amd64', 'systemd-boot', 'systemd-boot-efi', ...FIRMWARE],
    loader: { file: 'systemd-bootx64.efi', path: 'EFI/BOOT/BOOTX64.EFI' },
    serial: 'ttyS0,115200',
  },
};
