import { pbkdf2Sync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blocksOf, rowsOf } from '../../runtime/bindings/native/nmcli.ts';
import { createRadio } from '../../runtime/bindings/native/radio.ts';
import { CABLE, CREDENTIALS, machine, READY, type Script, WIFI } from './nmcli-machine.ts';

describe('what nmcli prints', () => {
  it.each([
    ['a:b', ['a', 'b']],
    ['Shop\\: "1" \\\\ :80:', ['Shop: "1" \\ ', '80', '']],
    ['\\\\:\\:', ['\\', ':']],
    ['😀:\\', ['😀', '\\']],
  ])('is cut at colons that nothing stands before: %j', (line, fields) => {
    expect(rowsOf(`${line}\n`)).toEqual([fields]);
  });

  it('is one block a device', () => {
    expect(blocksOf(`${WIFI}\n${CABLE}\n`).map((block) => block.get('GENERAL.CONNECTION'))).toEqual([
      'tillnode-wifi',
      'Wired: connection 1',
    ]);
    expect(blocksOf('\n\nrubbish\n\n:\n')).toEqual([]);
  });
});

describe('how the machine is on the network', () => {
  const list = { out: ' :4775657374:2437 MHz\n*:53686F703A20C3A9:5180 MHz\n' };

  it('is told by the network manager', async () => {
    const { radio } = machine({ 'wifi list': list, 'device show': { out: WIFI } });
    expect(await radio.read()).toMatchObject({
      mode: 'station',
      ssid: 'Shop: é',
      band: '5',
      ipv4: { method: 'dhcp', address: '10.9.0.54', netmask: '255.255.254.0', gateway: '10.9.0.1', dns: '10.9.0.2' },
    });
  });

  it('is a cable where there is one', async () => {
    const { radio } = machine({ 'wifi list': list, 'device show': { out: `${WIFI}\n${CABLE}` } });
    expect(await radio.read()).toEqual({
      mode: 'ethernet',
      ipv4: { method: 'static', address: '172.16.5.9', netmask: '255.255.0.0' },
      mac: '',
    });
  });

  it('is setup where the connection is the one of openSetup', async () => {
    const { radio } = machine({ 'wifi list': list, 'device show': { out: WIFI.replace('-wifi', '-setup') } });
    expect((await radio.read()).mode).toBe('setup');
  });

  it.each([
    ['it is leaving', WIFI.replace('100 (connected)', '110 (deactivating)').replace('tillnode-wifi', '')],
    ['is not ready yet', WIFI.replace('100 (connected)', '80 (connecting (checking IP connectivity))')],
    ['has no address yet', 'GENERAL.DEVICE:wlan0\nGENERAL.TYPE:wifi\nGENERAL.STATE:50 (connecting (configuring))\n'],
  ])('is offline where the network %s', async (_, device) => {
    const { radio } = machine({ 'device show': { out: device } });
    expect(await radio.read()).toEqual({ mode: 'offline', mac: '' });
  });

  it('is what is left while another one comes or goes', async () => {
    const plugged = CABLE.replace('100 (connected)', '70 (connecting (getting IP configuration))');
    const { radio } = machine({ 'wifi list': list, 'device show': { out: `${plugged}\n${WIFI}` } });
    expect((await radio.read()).mode).toBe('station');
  });

  it.each<[string, Script | undefined]>([
    ['is missing', undefined],
    ['has no bus', { '': { code: 1, err: 'Error: Could not create NMClient object: Could not connect\n' } }],
    ['does not run', { '': { code: 8, err: 'Error: NetworkManager is not running.\n' } }],
    ['talks rubbish', { '': { out: '\0\\:::\n[1]\nGENERAL.STATE:x\n' } }],
  ])('is told by the kernel where the network manager %s', async (_, script) => {
    const { radio } = machine(script);
    expect(['station', 'ethernet', 'offline']).toContain((await radio.read()).mode);
  });
});

describe('networks in reach', () => {
  it('are told strongest first, once a band and security, without names that nobody could ask for', async () => {
    const hex = (text: string) => Buffer.from(text).toString('hex').toUpperCase();
    const rows = [
      `${hex('Shop')}:2412 MHz:40:WPA2`,
      `${hex('Shop')}:2437 MHz:71:WPA2`,
      `${hex('Shop')}:5180 MHz:90:WPA2 WPA3`,
      `:2412 MHz:99:WPA2`,
      `00000000:2412 MHz:98:WPA2`,
      `FF00:2412 MHz:98:WPA2`,
      `436166E9:2412 MHz:30:WPA2`,
      `${hex('Six')}:5955 MHz:97:WPA3`,
      `${hex('Guests')}:2462 MHz:50:`,
      `${hex('Shop')}:2412 MHz:20:`,
      `${hex('Enhanced')}:2412 MHz:19:OWE`,
      `${hex('Both open')}:2412 MHz:18:OWE-TM`,
    ];
    const { radio } = machine({ 'device show': { out: WIFI }, 'wifi list': { out: `${rows.join('\n')}\n` } });
    expect(await radio.scan()).toEqual([
      { ssid: 'Shop', band: '5', signal: 90, security: 'transition' },
      { ssid: 'Shop', band: '2.4', signal: 71, security: 'personal' },
      { ssid: 'Guests', band: '2.4', signal: 50, security: 'open' },
      { ssid: 'Caf\udce9', band: '2.4', signal: 30, security: 'personal' },
      { ssid: 'Shop', band: '2.4', signal: 20, security: 'open' },
      { ssid: 'Enhanced', band: '2.4', signal: 19, security: 'owe' },
      { ssid: 'Both open', band: '2.4', signal: 18, security: 'open' },
    ]);
  });

  it('are those seen before while the radio cannot look around', async () => {
    const { radio } = machine({
      'device show': { out: WIFI },
      'rescan yes': { code: 1, err: 'Error: Scanning not allowed.\n' },
      'rescan no': { out: '53686F70:2412 MHz:40:WPA2\n' },
    });
    expect(await radio.scan()).toHaveLength(1);
  });
});

describe('joining', () => {
  it('removes what the node made before and nothing else, and stores nothing', async () => {
    const { radio, calls } = machine(READY);
    await radio.join(CREDENTIALS);
    const words = calls().map((call) => call.words);
    expect(words).toContain('connection delete uuid aa-1 uuid cc-3');
    const added = words.find((each) => each.startsWith('connection add'));
    expect(added).toContain('save no');
    expect(added).toContain('802-11-wireless.band a');
    expect(added).toContain('802-11-wireless.powersave 2');
    expect(words.find((each) => each.includes('edit'))).toBeDefined();
    expect(words.at(-2)).toMatch(/^--wait 90 connection up uuid [0-9a-f-]{36}$/);
  });

  it('asks for a name that is not UTF-8 by its bytes, with the key that is derived from them', async () => {
    const { radio, calls } = machine(READY);
    await radio.join({ ...CREDENTIALS, ssid: 'Caf\udce9', password: 'pässword' });
    const added = calls().find(({ words }) => words.startsWith('connection add'));
    // The log is read as UTF-8.
    expect(added?.args.slice(-3, -1)).toEqual(['802-11-wireless.ssid', 'Caf\ufffd']);
    const key = pbkdf2Sync('pässword', Buffer.from('436166e9', 'hex'), 4096, 32, 'sha1').toString('hex');
    expect(calls().find(({ words }) => words.includes('edit'))?.input).toContain(`\n${key}\n`);
  });

  it('is begun by its own order alone: the connection comes back by itself only once it was made', async () => {
    const { radio, calls } = machine(READY);
    await radio.join(CREDENTIALS);
    const words = calls().map((call) => call.words);
    expect(words.find((each) => each.startsWith('connection add'))).toContain('connection.autoconnect no');
    expect(words.at(-1)).toMatch(/^connection modify --temporary uuid [0-9a-f-]{36} connection.autoconnect yes$/);
  });

  it.each([0, 10])('first waits until the radio has let go of what it was on (status %i)', async (code) => {
    const { radio, calls } = machine({ ...READY, 'connection down': { code } });
    await radio.leave();
    const words = calls().map((call) => call.words);
    expect(words.slice(-2)).toEqual(['connection down uuid cc-3', 'connection delete uuid aa-1 uuid cc-3']);
  });

  it('tells the password to the program’s input alone, which keeps no history of it', async () => {
    const { radio, calls } = machine(READY);
    await radio.join(CREDENTIALS);
    expect(calls().filter(({ words }) => words.includes(CREDENTIALS.password))).toEqual([]);
    const [edit] = calls().filter(({ input }) => input !== '');
    expect(edit?.input.split('\n').slice(0, 2)).toEqual(['set 802-11-wireless-security.psk', 'correct horse']);
    expect(edit?.home).toBe('/dev/null');
  });

  it('keeps spaces at the ends of a password, which WPA3 takes', async () => {
    const { radio, calls } = machine(READY);
    await radio.join({ ...CREDENTIALS, password: '  both ends ' });
    expect(calls().find(({ input }) => input !== '')?.input).toContain('psk\n  both ends \nsave');
  });

  it.each(['tab\tinside it', 'new\nquit\nline', 'pässword'])(
    'gives the key instead of the passphrase %j',
    async (password) => {
      const { radio, calls } = machine(READY);
      await radio.join({ ...CREDENTIALS, password });
      const [edit] = calls().filter(({ input }) => input !== '');
      expect(edit?.input).toMatch(/^set 802-11-wireless-security\.psk\n[0-9a-f]{64}\nsave temporary\nquit$/);
    },
  );

  it('hands names over as they are', async () => {
    const { radio, calls } = machine(READY);
    await radio.join({ ...CREDENTIALS, ssid: '--ask "$(id)" \\:😀' });
    const [add] = calls().filter(({ words }) => words.startsWith('connection add'));
    expect(add?.args[(add?.args.indexOf('802-11-wireless.ssid') ?? 0) + 1]).toBe('--ask "$(id)" \\:😀');
  });

  it('asks for no password on an open network', async () => {
    const { radio, calls } = machine(READY);
    await radio.join({ ...CREDENTIALS, password: '' });
    expect(calls().some(({ words }) => /edit|key-mgmt/.test(words))).toBe(false);
  });

  it('encrypts without a password where the network does, also if it was not seen before', async () => {
    const row = `${Buffer.from(CREDENTIALS.ssid).toString('hex')}:5180 MHz:40:OWE\n`;
    const { radio, calls } = machine({ ...READY, 'rescan no': { out: '' }, 'rescan yes': { out: row } });
    await radio.join({ ...CREDENTIALS, password: '' });
    const added = calls().find(({ words }) => words.startsWith('connection add'));
    expect(added?.words).toContain('802-11-wireless-security.key-mgmt owe');
    expect(calls().some(({ words }) => words.includes('edit'))).toBe(false);
  });

  it('sets a static address with the length of its prefix', async () => {
    const { radio, calls } = machine(READY);
    await radio.join(CREDENTIALS, { address: '10.1.2.3', netmask: '255.255.252.0', gateway: '10.1.0.1' });
    expect(calls().some(({ words }) => words.includes('ipv4.method manual ipv4.addresses 10.1.2.3/22'))).toBe(true);
  });

  it.each<[string, number, string]>([
    ['Error: Connection activation failed: Secrets were required, but not provided\n', 4, 'wrong_password'],
    ['Error: Connection activation failed: (7) Secrets were required, but not provided.\n', 4, 'wrong_password'],
    ['Error: Connection activation failed: The Wi-Fi network could not be found\n', 4, 'no_network'],
    ['Error: Connection activation failed: IP configuration could not be reserved (...)\n', 4, 'no_address'],
    ['Error: Timeout expired (90 seconds)\n', 3, 'timeout'],
    ['Error: Not authorized to control networking.\n', 4, 'unmanaged'],
    ['Error: NetworkManager is not running.\n', 8, 'unmanaged'],
    ['Error: Could not create NMClient object: Could not connect: No such file or directory.\n', 1, 'unmanaged'],
    ['', 99, 'failed'],
  ])('fails on %j with status %i as %s, and leaves nothing behind', async (err, code, fault) => {
    const { radio, calls } = machine({ ...READY, 'connection up': { err, code } });
    await expect(radio.join(CREDENTIALS)).rejects.toMatchObject({ name: 'RadioError', fault });
    expect(
      calls()
        .filter(({ words }) => !words.includes('wifi list'))
        .slice(-2)
        .map(({ words }) => words.replace(/ uuid.*/, '')),
    ).toEqual(['connection delete', 'device disconnect wlan0']);
  });

  it.each<[string, Script[string]]>([
    ['complains', { err: 'Error: correct horse is no password\n', code: 1 }],
    ['does not do it', { out: 'nmcli> correct horse\n' }],
  ])('says nothing of the password where the program %s', async (_, edit) => {
    const { radio } = machine({ ...READY, edit });
    const error = await radio.join(CREDENTIALS).catch((cause: Error) => cause);
    expect(error).toMatchObject({ fault: 'failed' });
    expect(String(error)).not.toContain('correct horse');
  });

  it('is not possible without a radio, or with one that the network manager leaves alone', async () => {
    await expect(machine({ 'device show': { out: CABLE } }).radio.join(CREDENTIALS)).rejects.toMatchObject({
      fault: 'no_radio',
    });
    const alone = WIFI.replace('100 (connected)', '10 (unmanaged)');
    await expect(machine({ 'device show': { out: alone } }).radio.join(CREDENTIALS)).rejects.toMatchObject({
      fault: 'unmanaged',
    });
  });
});

describe('a network with WPA3', () => {
  const gone = { err: 'Error: Connection activation failed: The Wi-Fi network could not be found\n', code: 4 };
  it.each([
    ['WPA3', 'wrong_password'],
    ['WPA2 WPA3', 'wrong_password'],
    ['WPA2', 'no_network'],
  ])('that refuses the key is not taken for one that is gone: %s', async (security, fault) => {
    const seen = { out: `53686F70:5180 MHz:60:${security}\n` };
    const { radio } = machine({ ...READY, 'connection up': gone, 'wifi list': seen });
    await expect(radio.join(CREDENTIALS)).rejects.toMatchObject({ fault });
  });
});

it.each([
  ['WPA1 WPA2', 'personal'],
  ['WPA2 WPA3', 'transition'],
  ['WPA3', 'wpa3'],
  ['WPA2 802.1X', 'enterprise'],
  ['WPA3 802.1X', 'enterprise'],
  ['WEP', 'wep'],
  ['OWE', 'owe'],
  ['OWE-TM', 'open'],
  ['', 'open'],
])('a network that nmcli calls %j is %s', async (words, security) => {
  const { radio } = machine({ 'device show': { out: WIFI }, 'wifi list': { out: `53686F70:2412 MHz:40:${words}\n` } });
  expect(await radio.scan()).toMatchObject([{ security }]);
});

describe('the program nmcli', () => {
  it('may be missing', async () => {
    const { radio } = machine();
    await expect(radio.scan()).rejects.toMatchObject({ fault: 'unmanaged' });
    radio.watch(() => {})();
  });

  it('may hang, which ends at a deadline', async () => {
    machine({ '': { hang: true } });
    await expect(createRadio({ askMs: 200 }).leave()).rejects.toMatchObject({ fault: 'timeout' });
  });

  it('may never stop talking', async () => {
    const { radio } = machine({ '': { out: 'GENERAL.DEVICE:wlan0\n'.repeat(50_000) } });
    await expect(radio.scan()).rejects.toMatchObject({ fault: 'failed', message: 'failed: nmcli printed too much' });
  });

  it('does one change after the other, also after one that failed', async () => {
    const { radio, calls } = machine({ ...READY, 'connection up': { code: 4, err: 'Secrets were required' } });
    const joins = [radio.join(CREDENTIALS), radio.leave(), radio.openSetup(CREDENTIALS)];
    const outcomes = await Promise.allSettled(joins);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    const words = calls().map((call) => call.words);
    const [first, second] = words.flatMap((each, index) => (each.includes('device show') ? [index] : []));
    const join = words.slice(first, second);
    expect(join.filter((each) => each.includes('connection up'))).toHaveLength(1);
    expect(join.filter((each) => each.startsWith('connection delete'))).toHaveLength(3);
  });
});

describe('the setup network', () => {
  it('is WPA2 alone, shares its address, and does not come back by itself', async () => {
    const { radio, calls } = machine(READY);
    expect(await radio.openSetup({ ssid: 'tillnode-1', password: 'k7fq-2mzt' })).toEqual({ address: '192.0.2.1' });
    const added = calls().find(({ words }) => words.startsWith('connection add'))?.words;
    for (const setting of ['mode ap', 'proto rsn', 'pairwise ccmp', 'key-mgmt wpa-psk', 'ipv4.method shared']) {
      expect(added).toContain(setting);
    }
    expect(added).toContain('connection.autoconnect no');
  });

  it('has the address that its names lead to, also where an update of the image did not change that file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tillnode-names-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const namesFile = join(folder, 'tillnode.conf');
    for (const [text, address] of [
      ['# Names.\naddress=/#/10.42.0.1\n', '10.42.0.1'],
      ['address=/#/rubbish\n', '192.0.2.1'],
    ] as const) {
      writeFileSync(namesFile, text);
      const { radio, calls } = machine(READY, { namesFile });
      expect(await radio.openSetup({ ssid: 'tillnode-1', password: 'k7fq-2mzt' })).toEqual({ address });
      expect(calls().find(({ words }) => words.startsWith('connection add'))?.words).toContain(`${address}/24`);
    }
  });
});
