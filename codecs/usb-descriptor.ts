/** Parses device and configuration descriptors (USB 2.0, 9.6), in the form of the sysfs file `descriptors` of Linux. */
import type { Parsed } from './codec.ts';

export interface PipeDescription {
  /** bEndpointAddress: bit 7 set is IN. */
  readonly address: number;
  readonly direction: 'in' | 'out';
  readonly type: 'control' | 'isochronous' | 'bulk' | 'interrupt';
  readonly maxPacketSize: number;
}

export interface InterfaceDescription {
  readonly number: number;
  readonly alternate: number;
  readonly class: number;
  readonly subclass: number;
  readonly protocol: number;
  readonly pipes: readonly PipeDescription[];
  /** The class-specific descriptors that follow it, as bytes. */
  readonly extra: Uint8Array;
}

export interface DeviceDescription {
  /** Four lower-case hexadecimal digits. */
  readonly vendorId: string;
  readonly productId: string;
  readonly class: number;
  readonly subclass: number;
  readonly protocol: number;
  /** bcdUSB, as `2.00`. */
  readonly usbVersion: string;
  /** From the first configuration: bmAttributes bit 6, and bMaxPower in milliamperes. */
  readonly selfPowered: boolean;
  readonly maxPowerMa: number;
  readonly interfaces: readonly InterfaceDescription[];
}

const DEVICE = 1;
const CONFIGURATION = 2;
const INTERFACE = 4;
const PIPE = 5;
/** Class-specific types: 21 hex is HID, 24 and 25 hex belong to audio and video. */
const isClassSpecific = (type: number): boolean => type >= 0x20 && type <= 0x2f;

const DEVICE_BYTES = 18;
const CONFIGURATION_BYTES = 9;
const INTERFACE_BYTES = 9;
const PIPE_BYTES = 7;
/** Limit with alternate settings included: a camera with microphones has about forty. */
const MAX_INTERFACES = 64;
const MAX_PIPES = 64;
const EMPTY = new Uint8Array(0);
const TYPES = ['control', 'isochronous', 'bulk', 'interrupt'] as const;

const refuse = (reason: string) => ({ ok: false, reason }) as const;
const hex4 = (value: number): string => value.toString(16).padStart(4, '0');

/** Parses the device and its first configuration. Descriptors that contradict themselves give a reason. */
export function parseDescriptors(raw: Uint8Array): Parsed<DeviceDescription> {
  const u16 = (at: number): number => raw[at]! + 256 * raw[at + 1]!;
  if (raw.length < DEVICE_BYTES) return refuse('device descriptor is cut off');
  if (raw[0]! < DEVICE_BYTES || raw[1] !== DEVICE) return refuse('no device descriptor');
  const start = raw[0]!;
  if (raw.length < start + CONFIGURATION_BYTES) return refuse('configuration descriptor is cut off');
  if (raw[start]! < CONFIGURATION_BYTES || raw[start + 1] !== CONFIGURATION)
    return refuse('no configuration descriptor');
  const end = start + u16(start + 2);
  if (end > raw.length || end < start + CONFIGURATION_BYTES) return refuse('configuration is not as long as it says');
  const interfaces = parseInterfaces(raw.subarray(start + raw[start]!, end));
  if (!interfaces.ok) return interfaces;
  return {
    ok: true,
    value: {
      vendorId: hex4(u16(8)),
      productId: hex4(u16(10)),
      class: raw[4]!,
      subclass: raw[5]!,
      protocol: raw[6]!,
      usbVersion: `${raw[3]!.toString(16)}.${raw[2]!.toString(16).padStart(2, '0')}`,
      selfPowered: (raw[start + 7]! & 0x40) !== 0,
      maxPowerMa: raw[start + 8]! * 2,
      interfaces: interfaces.value,
    },
  };
}

function parseInterfaces(block: Uint8Array): Parsed<InterfaceDescription[]> {
  const interfaces: (InterfaceDescription & { pipes: PipeDescription[]; extras: Uint8Array[] })[] = [];
  let pipes = 0;
  let length: number;
  for (let at = 0; at < block.length; at += length) {
    length = block[at]!;
    if (length < 2) return refuse(`descriptor of ${length} bytes`);
    if (at + length > block.length) return refuse('descriptor is cut off');
    const type = block[at + 1]!;
    const own = block.subarray(at, at + length);
    const current = interfaces.at(-1);
    if (type === INTERFACE) {
      if (length < INTERFACE_BYTES) return refuse('interface descriptor is too short');
      if (interfaces.length === MAX_INTERFACES) return refuse(`over ${MAX_INTERFACES} interfaces`);
      const [, , number = 0, alternate = 0, , code = 0, subclass = 0, protocol = 0] = own;
      interfaces.push({ number, alternate, class: code, subclass, protocol, pipes: [], extras: [], extra: EMPTY });
    } else if (type === PIPE) {
      if (length < PIPE_BYTES) return refuse('pipe descriptor is too short');
      if (!current) return refuse('pipe outside any interface');
      if (++pipes > MAX_PIPES) return refuse(`over ${MAX_PIPES} pipes`);
      current.pipes.push(pipeOf(own));
    } else if (current && isClassSpecific(type)) {
      current.extras.push(own);
    }
  }
  const value = interfaces.map(({ extras, ...rest }) => ({ ...rest, extra: Uint8Array.from(Buffer.concat(extras)) }));
  return { ok: true, value };
}

const pipeOf = (own: Uint8Array): PipeDescription => ({
  address: own[2]!,
  direction: own[2]! & 0x80 ? 'in' : 'out',
  type: TYPES[own[3]! & 0x03]!,
  // Bits 11 and 12 are transactions per microframe (USB 2.0, 9.6.6).
  maxPacketSize: (own[4]! + 256 * own[5]!) & 0x07ff,
});

const MAX_CHARACTERS = 126;
/** Nearly every device has nothing else, and the first use of each class of Unicode takes long. */
const PRINTABLE_ASCII = /^[ -~]*$/;
const oneLine = (text: string) =>
  text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');

/** Text of a string descriptor, made safe to show: well-formed Unicode, one line, at most 126 characters, trimmed. */
export function cleanString(text: string): string {
  const start = text.slice(0, 4 * MAX_CHARACTERS);
  const line = (PRINTABLE_ASCII.test(start) ? start : oneLine(start)).trim();
  const end = /[\ud800-\udbff]/.test(line.charAt(MAX_CHARACTERS - 1)) ? MAX_CHARACTERS - 1 : MAX_CHARACTERS;
  return line.slice(0, end).trimEnd();
}
