/**
 * A USB camera that lists raw pictures alone, to the eye: its descriptors as it has them, by GadgetFS (the head of
 * drivers/usb/gadget/legacy/inode.c says how); FunctionFS takes none of the video class. It never sends a picture.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from './gadget.ts';
import { hostHas, load } from './kernel.ts';

interface Identity {
  readonly vendorId: string;
  readonly productId: string;
  readonly make: string;
  readonly model: string;
}

const u16 = (value: number) => [value & 0xff, value >> 8];
/** VS_FORMAT_UNCOMPRESSED (USB Video Class 1.5, A.6), of which the type is what is looked at. */
const UNCOMPRESSED = [0x1b, 0x24, 0x04, ...new Array<number>(24).fill(0)];
/** Class 0E, subclass 2, with one bulk IN pipe of so many bytes a packet. */
const streaming = (packet: number) => [9, 4, 0, 0, 1, 0x0e, 2, 0, 0, ...UNCOMPRESSED, 7, 5, 0x81, 2, ...u16(packet), 0];
const configuration = (packet: number) => {
  const rest = streaming(packet);
  return [9, 2, ...u16(9 + rest.length), 1, 1, 0, 0x80, 50, ...rest];
};
const deviceOf = ({ vendorId, productId }: Identity) => [
  ...[18, 1, 0, 2, 0xef, 2, 1, 64],
  ...u16(Number.parseInt(vendorId, 16)),
  ...u16(Number.parseInt(productId, 16)),
  ...[0, 1, 1, 2, 0, 1],
];

/** Node passes over a read of no bytes, which is how a request without data is granted here; perl, in every Debian, does not. */
const ANSWERS = String.raw`
  my ($path, $descriptors, @strings) = @ARGV;
  sysopen(my $device, $path, 2) or die "$path: $!";
  syswrite($device, pack('H*', $descriptors)) or die "descriptors: $!";
  $| = 1;
  print "made\n";
  while ((sysread($device, my $event, 12) // 0) == 12) {
    my ($direction, $request, $value, $index, $length, $type) = unpack('C C v v v V', $event);
    next if $type != 3;
    if ($direction & 0x80) {
      if ($request == 6 && $value >> 8 == 3) {
        my $number = $value & 0xff;
        my $text = $number == 0 ? pack('v', 0x0409) : join('', map { pack('v', ord) } split(//, $strings[$number - 1]));
        syswrite($device, substr(pack('C C', 2 + length($text), 3) . $text, 0, $length));
      } else {
        sysread($device, my $refused, 1);
      }
    } elsif ($length == 0) {
      sysread($device, my $granted, 0);
    } else {
      syswrite($device, 'x');
    }
  }`;

/** Plugs it into the first virtual port that is free; returns once the host has configured it. */
export async function plugRawCamera(identity: Identity): Promise<ChildProcess> {
  load('gadgetfs');
  const mounted = '/run/lab-gadget';
  mkdirSync(mounted);
  execFileSync('mount', ['-t', 'gadgetfs', 'none', mounted]);
  const controller = readdirSync(mounted).find((name) => name.startsWith('dummy_udc')) ?? 'dummy_udc.0';
  const descriptors = Buffer.from([0, 0, 0, 0, ...configuration(64), ...configuration(512), ...deviceOf(identity)]);
  const args = ['-e', ANSWERS, join(mounted, controller), descriptors.toString('hex'), identity.make, identity.model];
  const child = spawn('perl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface({ input: child.stdout }), 'line');
  await until(async () => hostHas(identity, 'configured') || undefined, 'the camera to be configured');
  return child;
}
