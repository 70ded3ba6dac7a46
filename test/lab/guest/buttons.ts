/** The button of a board: made through uinput, read by the native binding. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createButtons } from '../../../runtime/bindings/native/buttons.ts';
import { Button } from '../../../runtime/services/custody/button.ts';
import type { Gesture } from '../../../runtime/services/custody/gestures.ts';
import { until } from './gadget.ts';
import { load } from './kernel.ts';
import type { It } from './suite.ts';

export const BTN_0 = 0x100;
const KEY_A = 30;
export const BUS_HOST = 0x19;
const BUS_USB = 0x03;

/**
 * Node has no ioctl; perl, which every Debian has, does. Requests as in include/uapi/linux/uinput.h. Then each line
 * `code seconds` is a hold; it answers with how many milliseconds it was at least and at most, by its own clock.
 */
const UINPUT = String.raw`
  use Time::HiRes;
  my ($bus, @codes) = @ARGV;
  my ($UI_SET_EVBIT, $UI_SET_KEYBIT, $UI_DEV_SETUP, $UI_DEV_CREATE) = (0x40045564, 0x40045565, 0x405c5503, 0x5501);
  open(my $ui, '+<', '/dev/uinput') or die "uinput: $!";
  ioctl($ui, $UI_SET_EVBIT, 1) or die "evbit: $!";
  for my $code (@codes) { ioctl($ui, $UI_SET_KEYBIT, $code + 0) or die "keybit: $!" }
  my $setup = pack('S4 Z80 L', $bus, 1, 1, 1, 'lab button', 0);
  ioctl($ui, $UI_DEV_SETUP, $setup) or die "setup: $!";
  ioctl($ui, $UI_DEV_CREATE, 0) or die "create: $!";
  $| = 1;
  print "made\n";
  sub set { syswrite($ui, pack('q2 S2 l', 0, 0, 1, @_) . pack('q2 S2 l', 0, 0, 0, 0, 0)) or die "write: $!" }
  sub now { Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) * 1000 }
  while (my $line = <STDIN>) {
    my ($code, $seconds) = split ' ', $line;
    my $before = now();
    set($code, 1);
    my $pressed = now();
    select(undef, undef, undef, $seconds);
    my $held = now() - $pressed;
    set($code, 0);
    print join(' ', $held, now() - $before), "\n";
  }`;

const eventNodes = () => new Set(readdirSync('/dev/input').filter((name) => name.startsWith('event')));

/** `uinput` must be loaded. */
export async function makeDevice(bus: number, codes: readonly number[]) {
  const before = eventNodes();
  const child = spawn('perl', ['-e', UINPUT, ...[bus, ...codes].map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const line = async () => String((await once(lines, 'line'))[0]);
  await line();
  await until(async () => [...eventNodes()].some((name) => !before.has(name)) || undefined, 'the event device');
  return {
    async hold(seconds: number) {
      child.stdin.write(`${BTN_0} ${seconds}\n`);
      const [atLeast = 0, atMost = 0] = (await line()).split(' ').map(Number);
      return { atLeast, atMost };
    },
    async unmake() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

export function buttonSuite(it: It): void {
  it('takes a real button for one that was held about 5 seconds, by the stamps of the kernel', async () => {
    load('uinput');
    load('evdev');
    const keyboard = await makeDevice(BUS_HOST, [KEY_A, BTN_0]);
    const plugged = await makeDevice(BUS_USB, [BTN_0]);
    const button = await makeDevice(BUS_HOST, [BTN_0]);
    const gestures: Gesture[] = [];
    const stamps: number[] = [];
    const driver = new Button((gesture) => gestures.push(gesture));
    const buttons = createButtons();
    await buttons.start({
      press: (name, at) => {
        stamps.push(at);
        driver.press(name, at);
      },
      release: (name, at) => {
        stamps.push(at);
        driver.release(name, at);
      },
    });
    try {
      for (const other of [keyboard, plugged]) await other.hold(0.1);
      const { atLeast, atMost } = await button.hold(5);
      await until(async () => gestures.length > 0 || undefined, 'the hold to act');
      assert.deepEqual(gestures, ['forget_network'], `held for ${atLeast} to ${atMost} ms`);
      const [pressed = 0, released = 0, ...more] = stamps;
      assert.deepEqual(more, [], 'the keyboard and what is plugged in were heard');
      const heldMs = released - pressed;
      // Each stamp is brought to the other clock by one that counts whole milliseconds.
      assert.ok(heldMs >= atLeast - 2 && heldMs <= atMost + 2, `${heldMs} ms, not ${atLeast} to ${atMost}`);
    } finally {
      driver.stop();
      await buttons.stop();
      for (const device of [keyboard, plugged, button]) await device.unmake();
    }
  });
}
