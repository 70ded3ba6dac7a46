/**
 * The first start of a disk at a counter: no screen, no keyboard; a printer, a phone, and later a cable and a second
 * printer. The medium is the one that ships, with a counter beside it (counter.ts).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Slip, slipOn } from '../lab/guest/slip.ts';
import { needRoot, needTools } from '../tools.ts';
import { addCounter, COUNTER_TOOLS, Counter, counterLines } from './counter.ts';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';

const VARIANT = 'wifi';
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;
const CUT = '\x1dV';

/** Serial number of the second printer (guest/prepare.sh). */
const SECOND = 'X7XX000003';

interface Status {
  readonly peripherals: readonly { readonly endpoint: string; readonly device?: { readonly serial?: string } }[];
  readonly rejections: readonly { readonly reason: string }[];
}

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, ...COUNTER_TOOLS]);

const receipt = (id: string, value: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    type: 'print',
    id,
    endpoint: 'receipt',
    lines: [{ type: 'text', value }, { type: 'cut' }],
  }),
});

describe.skipIf(missing !== undefined)(missing ?? 'the first start of a disk', () => {
  let running: Running;
  let counter: Counter;
  let slip: Slip | undefined;
  let medium: Medium;
  const atCounter = async () => {
    running = await Running.powerOn(medium, { more: counterLines(medium) });
    await running.cable(false);
    counter = await Counter.of(medium);
  };

  beforeAll(async () => {
    medium = new Medium('first', madeImage(VARIANT));
    addCounter(medium);
    await atCounter();
  }, BOOT_MS + BUILD_MS);
  afterAll(async () => {
    counter?.close();
    await running?.cut();
  });

  it(
    'without a cable: opens its setup Wi-Fi, and the slip with the way onto it comes out, also after the plug was pulled in the middle of it',
    async () => {
      const begun = await counter.paper((printed) => printed.includes('Join this network'), BOOT_MS);
      await running.cut();
      expect(begun).not.toContain(CUT);
      counter.close();
      await atCounter();
      const paper = await counter.paper((printed) => printed.includes(CUT, begun.length), BOOT_MS);
      slip = slipOn(paper.slice(begun.length));
      expect(slip?.ssid).toMatch(/^tillnode-[0-9a-f]{8}$/);
    },
    2 * BOOT_MS,
  );

  it(
    'prints a receipt for a phone that joined by the slip',
    async () => {
      const { ssid, password, url } = slip!;
      const network = `network={\n  ssid="${ssid}"\n  psk="${password}"\n}\n`;
      await counter.run(`printf '%s' '${network}' > phone.conf`);
      await counter.phone(`
        ip link set wlan1 up
        wpa_supplicant -B -Dnl80211 -iwlan1 -cphone.conf
        busybox udhcpc -i wlan1 -n -q -f -t 30 -s /run/counter/phone-address.sh
      `);
      const { headers, body } = receipt('phone', 'Over setup Wi-Fi');
      const [[name, value]] = Object.entries(headers) as [[string, string]];
      const answer = await counter.phone(
        `busybox wget -q -O - --header "${name}: ${value}" --post-data '${body}' ${url}print`,
      );
      expect(JSON.parse(answer)).toMatchObject({ ok: true, commandId: 'phone' });
      await counter.paper((printed) => printed.includes('Over setup Wi-Fi'), BOOT_MS);
    },
    BOOT_MS,
  );

  it(
    'with a cable: a slip with its address comes out, and it prints a receipt that comes over the cable',
    async () => {
      await running.cable(true);
      // The address that the DHCP server of the machine gives.
      const paper = await counter.paper((printed) => printed.includes('http://10.0.2.15/'), BOOT_MS);
      expect(paper).toContain('I am ready');
      await running.answered('/status', BOOT_MS);
      const printed = await fetch(`${running.url}/print`, receipt('cable', 'Over the cable'));
      expect(printed.status).toBe(200);
      await counter.paper((all) => all.includes('Over the cable'), BOOT_MS);
    },
    BOOT_MS,
  );

  it(
    'with two printers: prints on the one that was first, and on the other one when that is gone',
    async () => {
      const status = (wanted: (status: Status) => boolean) => running.statusUntil<Status>(wanted, BOOT_MS);
      await counter.usb(1, true);
      await status(({ rejections }) => rejections[0]?.reason === 'second_printer');
      await fetch(`${running.url}/print`, receipt('both', 'With both of them'));
      await counter.paper((printed) => printed.includes('With both of them'), BOOT_MS);
      await counter.usb(0, false);
      await status(({ peripherals }) =>
        peripherals.some(({ endpoint, device }) => endpoint === 'receipt' && device?.serial === SECOND),
      );
      const printed = await fetch(`${running.url}/print`, receipt('other', 'On the other one'));
      expect(printed.status).toBe(200);
      const paper = await counter.paper((all) => all.includes('On the other one'), BOOT_MS, 1);
      expect(paper).not.toContain('With both of them');
    },
    BOOT_MS,
  );

  it('lets the node ask NetworkManager for what it needs, and nobody else for anything', async () => {
    const ask = (user: string, words: string) =>
      counter.run(`/usr/bin/setpriv --reuid=${user} --regid=nogroup --clear-groups nmcli -t ${words} 2>&1 || true`);
    expect(await ask('tillnode', 'device')).toContain('wlan0:');
    expect(await ask('tillnode', 'radio wifi on')).toBe('');
    for (const words of ['networking off', 'general reload'])
      expect(await ask('tillnode', words)).toContain('access denied');
    for (const user of ['tillnode-pull', 'nobody']) {
      expect(await ask(user, 'device')).toBe('');
      expect(await ask(user, 'radio wifi on')).toContain('access denied');
    }
  });

  it(
    'has started all of its system, and no unit of it failed',
    async () => {
      const failed = 'systemctl list-units --state=failed --plain --no-legend';
      expect(await counter.run(`systemctl is-system-running --wait > /dev/null || ${failed}`)).toBe('');
    },
    BOOT_MS,
  );

  it('lets the node write to LEDs, and to nothing else of the devices', async () => {
    const asNode = (command: string) =>
      counter.run(`
        pid=$(systemctl show -P MainPID tillnode.service)
        nsenter --target=$pid --mount /usr/bin/setpriv --reuid=tillnode --regid=tillnode --clear-groups sh -c '${command}'
      `);
    const leds = await counter.run('ls /sys/class/leds');
    const [led] = leds.trim().split('\n');
    expect(led).toMatch(/./);
    await asNode(`echo none > /sys/class/leds/${led}/trigger && echo 0 > /sys/class/leds/${led}/brightness`);
    await expect(asNode('echo 1 > /sys/devices/system/cpu/cpu0/online')).rejects.toThrow(/denied|read-only/i);
  }, 300_000);
});
