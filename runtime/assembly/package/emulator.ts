/** Programs of another architecture on this machine: qemu-user, told to the kernel in a user namespace of its own. */
import { arch as thisArch } from 'node:os';
import { ARCHITECTURES } from './architectures.ts';

/** The machines of ELF headers (e_machine) that are emulated, with the program of Debian's qemu-user-static for each. */
const EMULATORS: Readonly<
  Record<string, { readonly program: string; readonly bits: 1 | 2; readonly machine: number }>
> = {
  arm64: { program: 'qemu-aarch64-static', bits: 2, machine: 0xb7 },
  armhf: { program: 'qemu-arm-static', bits: 1, machine: 0x28 },
};
/** The OS ABI, and whether it is shared or not, may be any. */
const MASK = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, ...Array<number>(8).fill(0xff), 0xfe, 0xff, 0xff, 0xff];

/** How a namespace of its own learns to run programs of an architecture. */
export interface Emulator {
  /** The program of qemu-user-static. */
  readonly program: string;
  /** Shell commands for a user namespace (Linux 6.7), where `/proc` is mounted: nothing of the machine changes. */
  readonly register: string;
}

/** The emulator of an architecture (its Debian name); undefined where this machine runs its programs itself. */
export function emulatorOf(arch: string): Emulator | undefined {
  const emulator = EMULATORS[arch];
  if (emulator === undefined || ARCHITECTURES[arch]?.arch === thisArch()) return undefined;
  const { program, bits, machine } = emulator;
  const magic = [0x7f, 0x45, 0x4c, 0x46, bits, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, machine, 0];
  const hex = (bytes: readonly number[]) => bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  // F: opened now, so that it is there in every root; O, C: what it runs keeps its file and its rights (binfmt_misc(5)).
  const line = `:${program}:M::${hex(magic)}:${hex(MASK)}:/usr/bin/${program}:OCF`;
  const folder = '/proc/sys/fs/binfmt_misc';
  return { program, register: `mount -t binfmt_misc none ${folder}\nprintf %s '${line}' > ${folder}/register` };
}
