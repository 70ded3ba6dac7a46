/** What a disk image is made of, by architecture: Debian's packages, and the names that its firmware looks for. */

/** What the machines of one architecture need (dpkg-architecture(1)). */
export interface Platform {
  /** Packages whose files are taken and whose scripts are not run: the kernel, the boot loader, firmware. */
  readonly unpacked: readonly string[];
  /** What firmware reads on the boot partition: paths there, each with the path of that file in the packages. */
  readonly firmware: Readonly<Record<string, string>>;
  /** Modules of this architecture alone, as in `modules.txt`. */
  readonly modules: string;
  /** What this architecture alone needs not, as in `removed.txt`. */
  readonly removed: string;
  /** Some of the boards that it is for have firmware which looks for the boot partition in a partition table of DOS. */
  readonly dosTable: boolean;
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
  // Of the data partition: grown, made, checked; of the boot partition: checked. Busybox is also the program of the initramfs.
  ...['e2fsprogs', 'dosfstools', 'fdisk', 'dmsetup', 'busybox-static'],
] as const;

const FIRMWARE = ['realtek', 'iwlwifi', 'atheros', 'brcm80211', 'misc-nonfree'].map((name) => `firmware-${name}`);

/** The path at which UEFI looks for a boot loader (UEFI 2.10, 3.5.1.1), and systemd-boot. */
const uefi = (name: string): Record<string, string> => ({
  [`EFI/BOOT/BOOT${name.toUpperCase()}.EFI`]: `usr/lib/systemd/boot/efi/systemd-boot${name}.efi`,
});

/** Files of a Raspberry Pi's firmware, and the device trees of the boards that it starts. */
const RASPBERRY_PI = {
  ...Object.fromEntries(
    ['bootcode.bin', 'start.elf', 'fixup.dat', 'start4.elf', 'fixup4.dat'].map((name) => [
      name,
      `usr/lib/raspi-firmware/${name}`,
    ]),
  ),
  'licence-of-firmware.txt': 'usr/share/doc/raspi-firmware/copyright',
  'u-boot.bin': 'usr/lib/u-boot/rpi_arm64/u-boot.bin',
  ...Object.fromEntries(
    [
      ...['bcm2711-rpi-4-b', 'bcm2711-rpi-400', 'bcm2711-rpi-cm4-io'],
      ...['bcm2837-rpi-3-a-plus', 'bcm2837-rpi-3-b', 'bcm2837-rpi-3-b-plus', 'bcm2837-rpi-zero-2-w'],
    ].map((name) => [`${name}.dtb`, `usr/lib/linux-image-*/broadcom/${name}.dtb`]),
  ),
};

/** All platforms, by the Debian name of their architecture. */
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  amd64: {
    unpacked: ['linux-image-amd64', 'systemd-boot', 'systemd-boot-efi', ...FIRMWARE],
    firmware: uefi('x64'),
    modules: '',
    removed: '',
    dosTable: false,
    serial: 'ttyS0,115200',
  },
  arm64: {
    unpacked: ['linux-image-arm64', 'systemd-boot', 'systemd-boot-efi', ...FIRMWARE, 'raspi-firmware', 'u-boot-rpi'],
    firmware: { ...uefi('aa64'), ...RASPBERRY_PI },
    modules: 'modules-arm64.txt',
    removed: 'removed-arm64.txt',
    dosTable: true,
    serial: 'ttyAMA0,115200',
  },
};

/** Boards by name, each with the architecture of its disk, or why there is none. */
export const BOARDS: Readonly<Record<string, { readonly arch: string } | { readonly why: string }>> = {
  pc: { arch: 'amd64' },
  'uefi-arm64': { arch: 'arm64' },
  pi3: { arch: 'arm64' },
  pi4: { arch: 'arm64' },
  pizero2: { arch: 'arm64' },
  pi5: { why: 'Raspberry Pi 5: Debian 12 has no kernel for it' },
};
