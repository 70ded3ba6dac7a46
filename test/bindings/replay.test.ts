import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecordLine, readRecording, writeLine } from '../../runtime/bindings/recording.ts';
import { deviceIn, RecordedDevice } from '../../runtime/bindings/virtual/replay.ts';
import { failure, IN, LATER, OUT, plugged, Recorder, SOON } from './virtual-plugged.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const STATUS = { requestType: 0xa1, request: 1, value: 0, index: 0 };
const WAKE = { requestType: 0x21, request: 9, value: 0x03fe, index: 0 };
const base = { tMs: 0, channel: 'usb:1-1' };
const { host: twin } = await plugged(new Recorder());
const connect: RecordLine = {
  ...{ ...base, seq: 0, direction: 'connect' },
  ...{ identity: twin.identity, length: 0, data: bytes('') },
};
let seq = 0;
const line = (direction: 'in' | 'out', place: Partial<RecordLine>, text = ''): RecordLine => {
  seq += 1;
  return { ...base, seq, direction, length: text.length, data: bytes(text), ...place };
};
const out = (text: string, rest = {}) => line('out', { pipe: OUT.address, ...rest }, text);
const said = (text: string) => line('in', { pipe: IN.address }, text);

/** Plugged in and claimed, after a trip through the text form. */
const play = async (...transfers: RecordLine[]) => {
  const text = [connect, ...transfers].map(writeLine).join('');
  const lines = readRecording(text);
  const found = lines.ok ? deviceIn(lines.value) : lines;
  if (!found.ok) throw new Error(found.reason);
  const device = new RecordedDevice(found.value);
  return { device, ...(await plugged(device)) };
};
const hear = async (read: Promise<Uint8Array>) => Buffer.from(await read).toString('latin1');

describe('a recorded device', () => {
  it('is what it was: ids, strings, interfaces and pipes', async () => {
    const { host } = await play();
    expect(host.identity).toEqual(twin.identity);
  });

  it('says what it said once it was sent what came before', async () => {
    const { host, device } = await play(out('who?'), said('me'), out('ok'), said('bye'));
    expect(await failure(host.transferIn(IN, 64, SOON))).toMatchObject({ fault: 'timeout' });
    await host.transferOut(OUT, bytes('who?'), LATER);
    expect(await hear(host.transferIn(IN, 64, LATER))).toBe('me');
    expect(await failure(host.transferIn(IN, 64, SOON))).toMatchObject({ fault: 'timeout' });
    await host.transferOut(OUT, bytes('ok'), LATER);
    expect(await hear(host.transferIn(IN, 64, LATER))).toBe('bye');
    await device.finished;
    expect([device.mismatches, device.outstanding]).toEqual([[], []]);
  });

  it('says again what it said again', async () => {
    const { host, device } = await play(out('who?'), { ...said('me'), repeats: 2, lastTMs: 9 }, said('you'));
    await host.transferOut(OUT, bytes('who?'), LATER);
    const heard = [];
    for (let n = 0; n < 4; n += 1) heard.push(await hear(host.transferIn(IN, 64, LATER)));
    expect(heard).toEqual(['me', 'me', 'me', 'you']);
    await device.finished;
  });

  it('does not mind how the bytes are cut into transfers', async () => {
    const { host, device } = await play(out('abc'), out('def'), said('!'));
    for (const part of ['a', 'bcde', 'f']) await host.transferOut(OUT, bytes(part), LATER);
    expect(await hear(host.transferIn(IN, 64, LATER))).toBe('!');
    expect(device.mismatches).toEqual([]);
  });

  it('says where the host sent something else, once for a pipe, and goes on', async () => {
    const due = out('abc');
    const { host, device } = await play(due, said('!'));
    await host.transferOut(OUT, bytes('aXY'), LATER);
    expect(await hear(host.transferIn(IN, 64, LATER))).toBe('!');
    expect(device.mismatches).toEqual([{ seq: due.seq, reason: 'pipe 01: byte 1 is not 62' }]);
  });

  it('says how many bytes too many it was sent', async () => {
    const { host, device } = await play(out('abc'));
    await host.transferOut(OUT, bytes('abcde'), LATER);
    expect(device.mismatches).toEqual([{ seq: undefined, reason: 'pipe 01: 2 bytes more than recorded' }]);
  });

  it('compares only what was kept of a long transfer', async () => {
    const { host, device } = await play(out('abc', { length: 5 }), said('!'));
    await host.transferOut(OUT, bytes('abc??'), LATER);
    expect(await hear(host.transferIn(IN, 64, LATER))).toBe('!');
    expect(device.mismatches).toEqual([]);
  });

  it('answers requests as it did, the last answer again and again, and stalls at others', async () => {
    const { host, device } = await play(line('in', { setup: STATUS }, 'A'), line('in', { setup: STATUS }, 'B'));
    const ask = () => hear(host.controlIn(STATUS, 8, LATER));
    expect([await ask(), await ask(), await ask()]).toEqual(['A', 'B', 'B']);
    expect(await failure(host.controlIn({ ...STATUS, request: 7 }, 8, LATER))).toMatchObject({ fault: 'stall' });
    expect(device.mismatches).toEqual([{ seq: undefined, reason: 'request a1 07 is not in the recording' }]);
  });

  it('stays silent until it gets the request that woke it', async () => {
    const { host, device } = await play(line('out', { setup: WAKE }, 'x'), said('awake'));
    expect(await failure(host.transferIn(IN, 64, SOON))).toMatchObject({ fault: 'timeout' });
    await host.controlOut(WAKE, bytes('x'), LATER);
    expect(await hear(host.transferIn(IN, 64, LATER))).toBe('awake');
    await host.controlOut(WAKE, bytes('y'), LATER);
    expect(device.mismatches).toEqual([expect.objectContaining({ reason: 'request 09 has other data than recorded' })]);
  });

  it('stalls where it stalled', async () => {
    const { host } = await play(line('in', { setup: STATUS, fault: 'stall' }));
    expect(await failure(host.controlIn(STATUS, 8, LATER))).toMatchObject({ fault: 'stall' });
  });

  it('begins anew when it is plugged in again', async () => {
    const { host, device, usb } = await play(out('a'));
    await host.transferOut(OUT, bytes('ab'), LATER);
    usb.unplug(device);
    usb.plug(device);
    expect([device.mismatches, device.outstanding]).toHaveLength(2);
    expect(device.mismatches).toEqual([]);
    expect(device.outstanding).toHaveLength(1);
  });
});

describe('a recording', () => {
  it('of two devices is told apart by channel, and of two connections by their order', () => {
    const other = { ...connect, channel: 'usb:1-2' };
    const theirs = { ...out('theirs'), channel: 'usb:1-2' };
    const lines = [connect, out('mine'), other, theirs, connect, out('later')];
    const sent = (channel?: string) => {
      const found = deviceIn(lines, channel);
      return found.ok ? found.value.transfers.map(({ data }) => Buffer.from(data).toString()) : found.reason;
    };
    expect([sent(), sent('usb:1-2'), sent('usb:9')]).toEqual([
      ['mine'],
      ['theirs'],
      'no device connects in this recording',
    ]);
  });

  it('is refused where what the device said was cut off', () => {
    const cut = { ...said('abc'), seq: 7, length: 300 };
    expect(deviceIn([connect, cut])).toEqual({ ok: false, reason: expect.stringContaining('record 7') });
  });

  it.each([
    ['{', 'is not JSON'],
    ['7', 'is not an object'],
    ['{"seq":1}', 'is not a record'],
    ['{"seq":1,"tMs":0,"channel":"raw","direction":"in","length":1,"data":"="}', 'data'],
    ['{"seq":1,"tMs":0,"channel":"raw","direction":"in","length":0,"data":"AAAA"}', 'data'],
    ['{"seq":1,"tMs":0,"channel":"raw","direction":"in","length":0,"data":"","pipe":256}', 'pipe'],
    ['{"seq":1,"tMs":0,"channel":"raw","direction":"in","length":0,"data":"","setup":{}}', 'setup'],
    ['{"seq":1,"tMs":0,"channel":"usb:1","direction":"in","length":0,"data":"","repeats":-1}', 'repeats'],
    ['{"seq":0,"tMs":0,"channel":"usb:1-1","direction":"connect","length":0,"data":"","identity":{}}', 'identity'],
  ])('of the line %s is refused, and the line named', (text, reason) => {
    expect(readRecording(`\n${text}\n`)).toEqual({ ok: false, reason: expect.stringContaining(`line 2: ${reason}`) });
  });

  it.each([
    ['vendorId', '04B8'],
    ['make', 7],
    ['selfPowered', 1],
    ['interfaces', [{}]],
  ])('of a device whose %s is %j is refused', (field, value) => {
    const { identity, ...rest } = JSON.parse(writeLine(connect));
    const text = JSON.stringify({ ...rest, identity: { ...identity, [field]: value } });
    expect(readRecording(text)).toEqual({ ok: false, reason: 'line 1: identity: is not a device' });
  });

  it('is read whatever it says, without a throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ ...connect, identity: value })),
        ),
        (text) => {
          expect(typeof readRecording(text).ok).toBe('boolean');
        },
      ),
    );
  });
});
