/** A supplicant, or a network manager, that comes late, hangs or dies: what a try leaves is undone, and the next one heals. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRadio } from '../../runtime/bindings/native/radio.ts';
import { EDITED, machine, type Script, WIFI } from './nmcli-machine.ts';

const SHOP = { ssid: 'Shop', password: 'correct horse', band: 'auto' } as const;
const show = (state: string) => ({ out: `GENERAL.DEVICE:wlan0\nGENERAL.TYPE:wifi\nGENERAL.STATE:${state}\n` });
const READY = show('30 (disconnected)');
const UNAVAILABLE = show('20 (unavailable)');
const OURS = { out: 'aa-1:yes:tillnode-setup\nbb-2:yes:Home\ncc-3:no:tillnode-wifi\n' };
const FINE: Script = { 'device show': READY, edit: EDITED, 'UUID,ACTIVE,NAME': OURS };
/** What the network manager says of an access point whose supplicant gave no sign in 25 seconds. */
const SUPPLICANT = 'Error: Connection activation failed: 802.1X supplicant took too long to authenticate\n';
const QUICK = { setupSeconds: 0, readyMs: 50 };
/** Timings for programs that hang. */
const HUNG = { ...QUICK, askMs: 2000 };

const wordsOf = ({ calls }: ReturnType<typeof machine>) => calls().map(({ words }) => words);
const open = ({ radio }: ReturnType<typeof machine>) => radio.openSetup({ ssid: SHOP.ssid, password: SHOP.password });

it.each<[string, Script]>([
  ['the profile cannot be made', { 'connection add': { code: 1 } }],
  ['the program that takes the password dies', { edit: { signal: 'KILL' } }],
  ['the password is not taken in time', { edit: { hang: true } }],
  ['the supplicant takes too long', { 'connection up': { err: SUPPLICANT, code: 4 } }],
  [
    'the network manager dies meanwhile',
    { 'connection up': { err: 'Error: NetworkManager is not running.\n', code: 8 } },
  ],
  ['the program that brings it up hangs', { 'connection up': { hang: true } }],
  ['the program that brings it up is ended', { 'connection up': { signal: 'SYS' } }],
])('where %s, the profile is deleted and the device disconnected', async (_, fault) => {
  const box = machine({ ...fault, ...FINE, ...fault }, HUNG);
  await expect(open(box)).rejects.toMatchObject({ name: 'RadioError' });
  const behind = wordsOf(box).slice(-3);
  expect(behind.slice(1)).toEqual(['connection delete uuid aa-1', 'device disconnect wlan0']);
});

describe('the native radio binding', () => {
  it('says by which signal the program ended', async () => {
    const box = machine({ 'connection up': { signal: 'SYS' }, ...FINE }, QUICK);
    await expect(open(box)).rejects.toMatchObject({ fault: 'failed', message: 'failed: nmcli ended with SIGSYS' });
  });

  it('switches Wi-Fi off and on when the radio failed twice in a row, and not after that', async () => {
    const failing: Script = { 'connection up': { err: SUPPLICANT, code: 4 } };
    const heals: Script = {
      'wifi off': { brings: { 'device show': UNAVAILABLE } },
      'wifi on': { brings: { 'device show': READY, 'connection up': { code: 0 } } },
    };
    const box = machine({ ...failing, ...heals, ...FINE }, QUICK);
    const outcomes = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const before = box.calls().length;
      const outcome = await open(box).then(
        () => 'open',
        () => 'failed',
      );
      outcomes.push([
        outcome,
        wordsOf(box)
          .slice(before)
          .filter((words) => words.startsWith('radio')),
      ]);
    }
    const cycled = ['radio wifi off', 'radio wifi on'];
    expect(outcomes).toEqual([
      ['failed', []],
      ['failed', []],
      ['open', cycled],
      ['open', []],
    ]);
  });

  it('opens setup on a channel that every country allows, and on another one after each failure', async () => {
    const box = machine({ 'connection up': { err: SUPPLICANT, code: 4 }, ...FINE }, QUICK);
    for (let attempt = 0; attempt < 4; attempt += 1) await expect(open(box)).rejects.toThrow();
    const channels = wordsOf(box).flatMap(
      (words) => /^connection add .* 802-11-wireless\.channel (\d+)/.exec(words)?.[1] ?? [],
    );
    expect(channels).toEqual(['1', '6', '11', '1']);
  });

  it('does not switch anything for a password that is wrong', async () => {
    const box = machine({ 'connection up': { err: 'Error: Secrets were required\n', code: 4 }, ...FINE }, QUICK);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(box.radio.join(SHOP)).rejects.toMatchObject({ fault: 'wrong_password' });
    }
    expect(wordsOf(box).filter((words) => words.startsWith('radio'))).toEqual([]);
  });

  it('waits for a radio that is not ready yet, which may have been left switched off', async () => {
    const script: Script = { 'wifi on': { brings: { 'device show': READY } }, ...FINE, 'device show': UNAVAILABLE };
    const box = machine(script, { ...QUICK, readyMs: 10_000 });
    expect(await open(box)).toEqual({ address: '192.0.2.1' });
    const told = wordsOf(box).filter((words) => /^(radio|connection add)/.test(words));
    expect(told.map((words) => words.split(' ', 2).join(' '))).toEqual(['radio wifi', 'connection add']);
  });

  it('gives a radio that does not become ready up in time, and makes no profile for it', async () => {
    const box = machine({ ...FINE, 'device show': UNAVAILABLE }, QUICK);
    await expect(box.radio.join(SHOP)).rejects.toMatchObject({ fault: 'unmanaged' });
    expect(wordsOf(box).some((words) => words.startsWith('connection add'))).toBe(false);
  });

  it('switches Wi-Fi on again also where switching it off failed', async () => {
    const script: Script = { 'connection up': { err: SUPPLICANT, code: 4 }, 'wifi off': { hang: true }, ...FINE };
    const box = machine(script, HUNG);
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(open(box)).rejects.toThrow();
    expect(wordsOf(box).filter((words) => words.startsWith('radio'))).toEqual(['radio wifi on']);
  });

  it('waits for a network manager that is still starting, and for its bus', async () => {
    const running = { out: 'running\n' };
    const starting = { out: 'not running\n', brings: { general: running } };
    const noBus = { err: 'Error: Could not create NMClient object\n', code: 1, brings: { general: starting } };
    const box = machine({ general: noBus, ...FINE }, { startMs: 10_000, lookMs: 10 });
    await box.radio.started(AbortSignal.timeout(10_000));
    expect(wordsOf(box).filter((words) => words.endsWith('general'))).toHaveLength(3);
  });

  it('does not wait for a network manager that never runs, that is not installed, or when it is no longer asked to', async () => {
    const never = { general: { out: 'not running\n' } };
    const forever = new AbortController().signal;
    await expect(machine(never, { startMs: 30, lookMs: 10 }).radio.started(forever)).resolves.toBeUndefined();
    await expect(machine(never, QUICK).radio.started(AbortSignal.timeout(30))).resolves.toBeUndefined();
    vi.stubEnv('PATH', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(createRadio().started(forever)).resolves.toBeUndefined();
  });

  it('says whether a join could begin', async () => {
    await machine(FINE).radio.usable();
    await expect(machine({ '': { signal: 'SYS' } }).radio.usable()).rejects.toMatchObject({ fault: 'failed' });
    await expect(machine({ '': { code: 8 } }).radio.usable()).rejects.toMatchObject({ fault: 'unmanaged' });
    await expect(machine({ '': { hang: true } }, { askMs: 100 }).radio.usable()).rejects.toMatchObject({
      fault: 'timeout',
    });
    await expect(machine({ 'device show': { out: WIFI.replace('wifi', 'tun') } }).radio.usable()).rejects.toMatchObject(
      {
        fault: 'no_radio',
      },
    );
  });
});
