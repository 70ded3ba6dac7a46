/** POST /update: every row of specification 3.2, what comes damaged, and what is answered when two things are wrong. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMITTED } from '../../../runtime/http/access.ts';
import { HEADER_BYTES, MAX_IMAGE_BYTES, signDigest } from '../../../runtime/image/format.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { type UploadPatience, uploadOf } from '../../../runtime/services/update/upload.ts';
import { bodyOf, received, statusOf } from '../../http/kernel.ts';
import { FLOOR, key, makeImage, sha256, stranger } from '../../made-images.ts';
import { until } from '../../node.ts';
import { startUpdateNode, UPDATE_KEY, type UpdateNode } from './node.ts';

const image = makeImage();
const untouched = ({ slots, boot }: UpdateNode) =>
  expect({ next: slots.next, writing: slots.writing, restarts: boot.restarts }).toEqual({
    next: undefined,
    writing: false,
    restarts: 0,
  });

/** Signed again, for what is wrong in spite of a good signature. */
const signedAgain = (bytes: Buffer): Buffer => {
  const content = bytes.subarray(0, -64);
  return Buffer.concat([content, signDigest(Buffer.from(sha256(content), 'hex'), key)]);
};
const changed = (change: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.from(image);
  change(bytes);
  return bytes;
};

describe('an image', () => {
  it('is written, checked, made the next to boot, answered, and then restarted onto', async () => {
    const node = await startUpdateNode();
    const { status, body } = await node.upload(image);
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, version: '9.8.7', variant: 'twin' } });
    const { next } = node.slots;
    if (next === undefined || next === 'factory') throw new Error('nothing was installed');
    expect(next.version).toBe('9.8.7');
    expect([...next.files.keys()]).toEqual(['image.json', 'main.js']);
    expect(next.files.get('main.js')?.length).toBe(3000);
    await until(() => node.boot.restarts === 1);
  });

  it('of another variant is taken when the sender insists', async () => {
    const node = await startUpdateNode();
    const other = makeImage({ variant: 'wifi' });
    for (const field of [undefined, '0', 'true', '']) {
      const { status, error } = await node.upload(other, { 'X-NODE-Allow-Variant-Change': field });
      expect({ status, error }).toEqual({ status: 422, error: 'image_wrong_variant' });
      untouched(node);
    }
    const { status, body } = await node.upload(other, { 'X-NODE-Allow-Variant-Change': '1' });
    expect({ status, body }).toMatchObject({ status: 200, body: { variant: 'wifi' } });
  });

  it('may have its digest in capitals', async () => {
    const node = await startUpdateNode();
    expect((await node.upload(image, { 'X-NODE-Image-Sha256': sha256(image).toUpperCase() })).status).toBe(200);
  });

  it.each([
    ['no key', { Authorization: undefined }, 401, 'ota_locked'],
    ['a wrong key', { Authorization: `Bearer ${UPDATE_KEY}x` }, 401, 'ota_locked'],
    ['the key in the other header', { Authorization: undefined, 'X-NODE-Api-Key': UPDATE_KEY }, 401, 'ota_locked'],
    ['no digest', { 'X-NODE-Image-Sha256': undefined }, 422, 'image_digest_mismatch'],
    ['a short digest', { 'X-NODE-Image-Sha256': sha256(image).slice(1) }, 422, 'image_digest_mismatch'],
    ['a digest that is none', { 'X-NODE-Image-Sha256': 'g'.repeat(64) }, 422, 'image_digest_mismatch'],
  ])('with %s is refused', async (_, fields, status, error) => {
    const node = await startUpdateNode();
    expect(await node.upload(image, fields)).toMatchObject({ status, error });
    untouched(node);
    expect(node.slots.written).toBe(0);
  });

  it('is refused from everyone by a node without an update key, in open mode too', async () => {
    const node = await startUpdateNode({ updateKey: '' });
    expect(await node.upload(image)).toMatchObject({ status: 401, error: 'ota_locked' });
    expect(await node.upload(image, { Authorization: 'Bearer ' })).toMatchObject({ status: 401 });
  });

  it('with any place of its digest changed is refused after it is in', async () => {
    const node = await startUpdateNode();
    const digest = sha256(image);
    for (let place = 0; place < 64; place += 1) {
      const wrong = digest.slice(0, place) + (digest[place] === '0' ? '1' : '0') + digest.slice(place + 1);
      const { status, error } = await node.upload(image, { 'X-NODE-Image-Sha256': wrong });
      expect({ status, error }).toEqual({ status: 422, error: 'image_digest_mismatch' });
    }
    untouched(node);
    expect(node.slots.written).toBe(image.length);
  });

  it('does not survive one changed bit of a thousand, whatever digest it comes with', async () => {
    const node = await startUpdateNode();
    const small = makeImage({ bytes: 500 });
    // All of the variant's name, the rest spread over the whole image.
    const spread = Array.from({ length: 968 }, (_, flip) => Math.floor((flip * small.length * 8) / 968));
    const seen = new Set<string | undefined>();
    for (const [flip, bit] of [...Array.from({ length: 32 }, (_, each) => 64 * 8 + each), ...spread].entries()) {
      const damaged = Buffer.from(small);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      // Every fourth with the digest that it has now, the others with that of the image it was.
      const own = flip % 4 === 0;
      const { error } = await node.upload(damaged, own ? {} : { 'X-NODE-Image-Sha256': sha256(small) });
      seen.add(error);
      // The variant is looked at as soon as it is in; all else after the digest.
      if (error === 'image_wrong_variant' && bit >> 3 >= 64 && bit >> 3 < 96) continue;
      expect(error, `bit ${bit}`).toBe(own ? 'image_invalid' : 'image_digest_mismatch');
    }
    expect([...seen].sort()).toEqual(['image_digest_mismatch', 'image_invalid', 'image_wrong_variant']);
    untouched(node);
    expect((await node.upload(small)).status).toBe(200);
  });

  it.each<[string, Buffer]>([
    ['another signature', makeImage({ signedBy: stranger })],
    ['a signature of zeros', changed((bytes) => bytes.fill(0, image.length - 64))],
    ['an older security floor', makeImage({ floor: FLOOR - 1 })],
    ['another product', signedAgain(changed((bytes) => bytes.write('SOMEMODE')))],
    ['another format', signedAgain(changed((bytes) => bytes.writeUInt32BE(2, 8)))],
    ['a length that is not its own', signedAgain(changed((bytes) => bytes.writeBigUInt64BE(BigInt(3000), 16)))],
    ['a length over the bound', signedAgain(changed((bytes) => bytes.writeBigUInt64BE(2n ** 60n, 16)))],
    ['another manifest length', signedAgain(changed((bytes) => bytes.writeUInt32BE(bytes.readUInt32BE(24) - 1, 24)))],
    ['a manifest past its beginning', signedAgain(changed((bytes) => bytes.writeUInt32BE(image.length, 24)))],
    ['something in the padding', signedAgain(changed((bytes) => bytes.writeUInt8(1, 63)))],
    ['a version that is none', signedAgain(changed((bytes) => bytes.write('latest\0', 96)))],
    ['a variant that is no name', signedAgain(changed((bytes) => bytes.write('TWIN', 64)))],
    ['a file that was changed', signedAgain(changed((bytes) => bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200)))],
    ['no manifest', signedAgain(changed((bytes) => bytes.fill(0x20, image.length - 200, image.length - 64)))],
    ['nothing in it that is right', Buffer.alloc(4000, 'x')],
  ])('whose digest is right, with %s, is refused', async (name, bytes) => {
    const node = await startUpdateNode();
    const { status, error } = await node.upload(bytes);
    // The slot compares every file with its digest once more.
    const expected = name === 'a file that was changed' ? [500, 'ota_write_failed'] : [422, 'image_invalid'];
    expect([status, error]).toEqual(expected);
    untouched(node);
  });

  it('is refused where no key is trusted', async () => {
    const node = await startUpdateNode();
    Object.assign(node.kernel.image, { trustedKeys: [] });
    expect(await node.upload(image)).toMatchObject({ status: 422, error: 'image_invalid' });
  });

  it('is refused by a node that runs without its launcher, which says so', async () => {
    const node = await startUpdateNode({ boot: { launched: false, slot: 'factory' } });
    const { status, error, body } = await node.upload(image);
    expect({ status, error }).toEqual({ status: 409, error: 'no_launcher' });
    expect(body['detail']).toContain('launcher');
    const socket = node.dial();
    socket.write(node.head(image, 'Expect: 100-continue'));
    expect(bodyOf(await received(socket))['error']).toBe('no_launcher');
  });

  it('that the slot does not take, whichever step of it fails, is refused, and the next is taken', async () => {
    const node = await startUpdateNode();
    const big = makeImage({ bytes: 300_000 });
    let steps = 0;
    let fails = Number.POSITIVE_INFINITY;
    node.slots.before = () => {
      steps += 1;
      if (steps === fails) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    for (fails = 1; fails < 1000; fails += 1) {
      steps = 0;
      const { status, error } = await node.upload(big);
      if (status === 200) break;
      expect({ fails, status, error }).toEqual({ fails, status: 500, error: 'ota_write_failed' });
      untouched(node);
    }
    expect(fails).toBeGreaterThan(5);
    expect(node.slots.next).toMatchObject({ version: '9.8.7' });
  });
});

describe('the order of the checks', () => {
  interface Attempt {
    image: NonNullable<Parameters<typeof makeImage>[0]>;
    fields: Record<string, string | undefined>;
    fails: boolean;
  }
  const faults: readonly (readonly [string, (attempt: Attempt) => void])[] = [
    ['ota_locked', ({ fields }) => Object.assign(fields, { Authorization: 'Bearer no' })],
    ['image_digest_mismatch', ({ fields }) => Object.assign(fields, { 'X-NODE-Image-Sha256': 'none' })],
    ['image_wrong_variant', ({ image: wrong }) => Object.assign(wrong, { variant: 'wifi' })],
    ['ota_write_failed', (attempt) => Object.assign(attempt, { fails: true })],
    [
      'image_digest_mismatch',
      ({ fields }) => Object.assign(fields, { 'X-NODE-Image-Sha256': fields['X-NODE-Image-Sha256'] ?? '0'.repeat(64) }),
    ],
    ['image_invalid', ({ image: wrong }) => Object.assign(wrong, { signedBy: stranger })],
  ];

  it('is that of the table: of two faults the earlier one is answered', async () => {
    const node = await startUpdateNode();
    for (const [first, [code, spoil]] of faults.entries()) {
      for (const [, spoilToo] of faults.slice(first)) {
        const attempt: Attempt = { image: {}, fields: {}, fails: false };
        spoil(attempt);
        spoilToo(attempt);
        node.slots.before = (step) => {
          if (attempt.fails && step === 'begin') throw new Error('no space left');
        };
        expect((await node.upload(makeImage(attempt.image), attempt.fields)).error).toBe(code);
      }
    }
    untouched(node);
  });
});

describe('a size', () => {
  const ask = async (node: UpdateNode, ...fields: string[]) => {
    const socket = node.dial();
    const head = node.head(image).replace(/Content-Length: \d+\r\n/, fields.map((field) => `${field}\r\n`).join(''));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.write(head);
    // The connection stays open a while for what may still come.
    await until(() => answer.endsWith('}\n'));
    return { status: statusOf(answer), error: bodyOf(answer)['error'], answer };
  };

  it.each([
    ['missing', [], 422, 'image_invalid'],
    ['chunked', ['Transfer-Encoding: chunked'], 422, 'image_invalid'],
    ['zero', ['Content-Length: 0'], 422, 'image_invalid'],
    ['less than any image has', [`Content-Length: ${HEADER_BYTES + 63}`], 422, 'image_invalid'],
    ['one byte over the bound', [`Content-Length: ${MAX_IMAGE_BYTES + 1}`], 413, 'image_too_large'],
    ['beyond all bounds', ['Content-Length: 9007199254740993'], 413, 'image_too_large'],
    ['negative', ['Content-Length: -1'], 400, 'invalid_body'],
    ['said twice', ['Content-Length: 5000', 'Content-Length: 5001'], 400, 'invalid_body'],
  ])('that is %s is answered before anything is read', async (_, fields, status, error) => {
    const node = await startUpdateNode();
    expect(await ask(node, ...fields, 'Expect: 100-continue')).toMatchObject({
      status,
      error,
      answer: expect.not.stringContaining('100 Continue'),
    });
    untouched(node);
  });

  it('that was promised and does not come is answered 400 wherever it breaks off', async () => {
    const node = await startUpdateNode();
    const large = makeImage({ bytes: 30_000 });
    const cuts = new Set([0, 1, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 1, large.length - 1]);
    for (let cut = 1024; cut < large.length; cut += 1024) cuts.add(cut);
    for (const cut of cuts) {
      const socket = node.dial();
      socket.end(Buffer.concat([Buffer.from(node.head(large)), large.subarray(0, cut)]));
      const answer = await received(socket);
      expect({ cut, status: statusOf(answer), ...bodyOf(answer) }).toMatchObject({
        ...{ cut, status: 400, error: 'invalid_body' },
        detail: `${cut} of ${large.length} bytes arrived`,
      });
      await until(() => !node.slots.writing);
      socket.destroy();
    }
    untouched(node);
    expect((await node.upload(large)).status).toBe(200);
  });

  it('that leaves out the end, or adds to it, gives another digest', async () => {
    const node = await startUpdateNode();
    const digest = { 'X-NODE-Image-Sha256': sha256(image) };
    for (const bytes of [image.subarray(0, -1), Buffer.concat([image, Buffer.alloc(1)])]) {
      expect(await node.upload(bytes, digest)).toMatchObject({ status: 422, error: 'image_digest_mismatch' });
      expect(await node.upload(bytes)).toMatchObject({ status: 422, error: 'image_invalid' });
    }
    untouched(node);
  });
});

describe('an upload', () => {
  it('is asked for its body only once nothing more can be refused without it', async () => {
    const node = await startUpdateNode();
    const refused = node.dial();
    refused.write(node.head(image, 'Expect: 100-continue').replace(UPDATE_KEY, 'some-other-key'));
    expect(await received(refused)).toMatch(/^HTTP\/1\.1 401 /);
    const taken = node.dial();
    taken.write(node.head(image, 'Expect: 100-continue', 'Connection: close'));
    const [first] = (await once(taken, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    taken.write(image);
    expect(statusOf(await received(taken))).toBe(200);
  });

  it('is one at a time, and a second one never disturbs the first', async () => {
    const node = await startUpdateNode();
    const first = node.dial();
    first.write(Buffer.concat([Buffer.from(node.head(image, 'Connection: close')), image.subarray(0, 1000)]));
    await until(() => node.slots.writing);
    expect(await node.upload(image)).toMatchObject({ status: 409, error: 'ota_busy' });
    expect(await node.upload(image, { Authorization: 'Bearer no' })).toMatchObject({ status: 401 });
    first.write(image.subarray(1000));
    expect(statusOf(await received(first))).toBe(200);
    expect(await node.upload(image)).toMatchObject({ status: 409, error: 'ota_busy' });
  });

  it('whose sender goes away leaves the node free', async () => {
    const node = await startUpdateNode();
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const socket = node.dial();
      socket.write(Buffer.concat([Buffer.from(node.head(image)), image.subarray(0, 1000)]));
      await until(() => node.slots.writing);
      socket[leave]();
      await until(() => !node.slots.writing);
    }
    untouched(node);
    expect((await node.upload(image)).status).toBe(200);
  });

  it('may be sent a byte at a time', async () => {
    const node = await startUpdateNode();
    const small = makeImage({ bytes: 10 });
    const socket = node.dial();
    socket.write(node.head(small, 'Connection: close'));
    for (const byte of small) await new Promise((sent) => socket.write(Uint8Array.of(byte), sent));
    expect(statusOf(await received(socket))).toBe(200);
  });
});

describe('a sender', () => {
  /** What becomes of an upload of these parts, each sent so long after the one before. */
  const send = async (patience: Partial<UploadPatience>, parts: number, everyMs: number): Promise<string> => {
    const server = createServer(async (request, response) => {
      try {
        let length = 0;
        for await (const chunk of uploadOf(request, MAX_IMAGE_BYTES, ADMITTED, patience).chunks) length += chunk.length;
        response.end(`${length}`);
      } catch (error) {
        response.end(error instanceof ApiError ? `${error.code} ${error.detail}` : String(error));
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const fields = `Content-Length: 200\r\nX-NODE-Image-Sha256: ${'0'.repeat(64)}`;
    socket.write(`POST / HTTP/1.0\r\n${fields}\r\n\r\n`);
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      if (sent <= parts) socket.write(Buffer.alloc(200 / parts));
    }, everyMs);
    onTestFinished(() => clearInterval(timer));
    return (await received(socket)).split('\r\n\r\n')[1] ?? '';
  };

  it('that falls silent is told so', async () => {
    expect(await send({ silenceMs: 50 }, 0, 10)).toBe('invalid_body the upload stalled: 0 of 200 bytes arrived');
  });

  it('that keeps the average may be slow', async () => {
    expect(await send({ silenceMs: 2000, bytesPerSecond: 10 }, 20, 10)).toBe('200');
  });

  it('that sends too little to count is told so, though it never falls silent', async () => {
    const told = await send({ silenceMs: 300, bytesPerSecond: 1e9 }, 200, 10);
    expect(told).toMatch(/^invalid_body the upload stalled: [1-9]\d* of 200 bytes arrived$/);
  });
});
