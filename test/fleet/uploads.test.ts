/** Images that are uploaded, and those that are refused. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { FLOOR, makeImage, stranger } from '../made-images.ts';
import { until } from '../node.ts';
import { answerOf, databases, EITHER, fleetOn, folder, KEYS, MASTER, type RunningFleet } from './fleet.ts';
import { begin, IMAGE, ids, node, upload } from './rollout.ts';

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('noise behind a header, a changed file, another signer and a lower floor are refused at the upload', async () => {
    const fleet = await fleetOn(await database());
    const changed = (at: number) => {
      const image = Buffer.from(IMAGE);
      image.writeUInt8((image.at(at) ?? 0) ^ 1, at < 0 ? image.length + at : at);
      return image;
    };
    const noise = Buffer.concat([IMAGE.subarray(0, 128), randomBytes(IMAGE.length - 128)]);
    // The last one is refused while most of it is still to come.
    const large = Buffer.alloc(48 * 2 ** 20, 1);
    for (const image of [noise, changed(5000), changed(-100), large])
      expect((await upload(fleet, image)).status).toBe(422);
    expect((await fleet.call('PUT', '/api/settings', { firmware: { keys: ['no key'] } })).status).toBe(422);
    expect((await fleet.call('GET', '/api/settings')).body.firmware.keys).toEqual(KEYS);
    const foreign = makeImage({ variant: 'wifi', version: '0.2.0', signedBy: stranger });
    for (const image of [foreign, changed(-1)])
      expect((await upload(fleet, image)).body.detail).toMatch(/not signed with a key/);
    expect((await upload(fleet)).status).toBe(200);
    const low = await upload(fleet, makeImage({ variant: 'wifi', version: '0.3.0', floor: FLOOR - 1 }));
    expect([low.status, low.body.detail]).toEqual([422, expect.stringMatching(/security floor/)]);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toHaveLength(1);
  });

  it('while no key is set no image is taken or kept, and those that were taken before are offered as they were', async () => {
    const [where, images] = [await database(), folder()];
    const before = await fleetOn(where, { images });
    const nodes = ids(2).map((id) => node(before, id));
    for (const each of nodes) await each.beat();
    // As a release of the fleet before took it from whom it did not know.
    const trust = (fleet: RunningFleet, ...keys: string[]) =>
      fleet.call('PUT', '/api/settings', { firmware: { keys } });
    await trust(before, rawPublicKey(stranger));
    const foreign = makeImage({ variant: 'wifi', version: '0.2.0', signedBy: stranger });
    const { body: kept } = await upload(before, foreign);
    await begin(before, { groups: ['100%'] });
    expect((await trust(before)).body.firmware.keys).toEqual([]);
    await before.stop();

    const fleet = await fleetOn(where, { images });
    for (const image of [foreign, makeImage({ variant: 'wifi', version: '0.3.0' }), Buffer.from('no image')]) {
      const { status, body } = await upload(fleet, image);
      expect([status, body]).toEqual([
        409,
        { ok: false, error: 'conflict', detail: expect.stringMatching(/sets the key/) },
      ]);
    }
    expect(readdirSync(images)).toEqual([kept.sha256]);
    expect((await fleet.call('GET', '/api/releases')).body).toEqual({ releases: [kept] });
    // Nodes look at the signature of what they are offered.
    const [first, second] = ids(2).map((id) => node(fleet, id));
    expect((await first!.offer()).body).toMatchObject({ version: '0.2.0', sha256: kept.sha256 });
    expect((await first!.take((await first!.offer()).body)).status).toBe(200);
    await fleet.call('POST', '/api/rollouts/1/stop');
    expect((await second!.offer()).status).toBe(204);
    expect(await begin(fleet, { groups: ['100%'] })).toMatchObject({ state: 'running' });
    expect((await second!.offer()).status).toBe(200);

    await trust(fleet, ...KEYS);
    expect((await upload(fleet, foreign)).body.detail).toMatch(/not signed with a key/);
    expect((await upload(fleet, makeImage({ variant: 'wifi', version: '0.3.0' }))).status).toBe(200);
  });

  it('an image is no release, and not kept, where the key that signed it is taken from the settings while it comes', async () => {
    const images = folder();
    const fleet = await fleetOn(await database(), { images });
    let goOn = () => {};
    const rest = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const pieces = async function* () {
      yield IMAGE.subarray(0, 1000);
      await rest;
      yield IMAGE.subarray(1000);
    };
    const late = fetch(`${fleet.url}/api/releases`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER}` },
      body: pieces() as never,
      duplex: 'half',
    });
    await until(() => readdirSync(images).length === 1);
    await fleet.call('PUT', '/api/settings', { firmware: { keys: [rawPublicKey(stranger)] } });
    goOn();
    const answer = await answerOf(await late);
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringMatching(/taken from the settings/)]);
    expect(readdirSync(images)).toEqual([]);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toEqual([]);
  });

  it('an image that is refused is sent to nobody, and floors keep their order whichever image comes first', async () => {
    const fleet = await fleetOn(await database());
    const image = (version: string, floor: number, bytes = 3000) =>
      makeImage({ variant: 'wifi', version, floor, bytes });
    const stored = image('0.3.0', 5);
    expect((await upload(fleet, stored)).status).toBe(200);
    for (const [refused, status] of [
      [image('0.4.0-rc.1', 5), 422],
      [image('0.4.0', 4), 422],
      [image('0.2.0', 6), 422],
      [image('0.3.0', 5, 4000), 409],
    ] as const) {
      const answer = await upload(fleet, refused);
      const sent = await fetch(`${fleet.url}/firmware/${createHash('sha256').update(refused).digest('hex')}`);
      expect([answer.status, answer.body.detail, sent.status]).toEqual([status, expect.any(String), 404]);
    }
    // What was there is so still, also after it came again.
    expect((await upload(fleet, stored)).status).toBe(200);
    const sent = await fetch(`${fleet.url}/firmware/${createHash('sha256').update(stored).digest('hex')}`);
    expect(Buffer.from(await sent.arrayBuffer()).equals(stored)).toBe(true);
    for (const [version, floor] of [
      ['0.2.0', 5],
      ['0.4.0', 5],
      ['0.5.0', 9],
    ] as const)
      expect([version, (await upload(fleet, image(version, floor))).status]).toEqual([version, 200]);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toHaveLength(4);
  });
});
