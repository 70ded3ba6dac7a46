/** The image file: what is packed comes out again, and nothing else is taken for an image. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../../runtime/assembly/variant/image-cli.ts';
import { signingOf, warningOf } from '../../runtime/assembly/variant/write-image.ts';
import {
  encodeHeader,
  encodeManifest,
  HEADER_BYTES,
  ImageFault,
  parseHeader,
  parseManifest,
  rawPublicKey,
} from '../../runtime/image/format.ts';
import { pack, unpack } from '../../runtime/image/pack.ts';

const { privateKey: key } = generateKeyPairSync('ed25519');
const { privateKey: stranger } = generateKeyPairSync('ed25519');
const about = { type: 'node' as const, variant: 'wifi', version: '1.2.3', floor: 7 };
const contents = [
  { name: 'main.js', bytes: Buffer.from('export {};\n') },
  { name: 'image.json', bytes: Buffer.from('{}\n') },
  { name: 'empty', bytes: Buffer.alloc(0) },
];
const image = pack(about, contents, key);
const seed = Number(process.env['FUZZ_SEED'] ?? 5);

describe('an image', () => {
  it('holds what was packed, sorted by name, signed by its key and by no other', () => {
    const { header, files, signedBy } = unpack(image);
    expect(header).toMatchObject({ ...about, length: image.length });
    expect(files.map(({ name }) => name)).toEqual(['empty', 'image.json', 'main.js']);
    const main = files.find(({ name }) => name === 'main.js');
    expect(image.subarray(main?.offset, (main?.offset ?? 0) + (main?.size ?? 0)).toString()).toBe('export {};\n');
    expect(signedBy([rawPublicKey(stranger)])).toBe(false);
    expect(signedBy([rawPublicKey(stranger), rawPublicKey(key)])).toBe(true);
    expect(signedBy([])).toBe(false);
  });

  it('is the same file for the same content, in whatever order it comes', () => {
    expect(pack(about, contents.toReversed(), key).equals(image)).toBe(true);
  });

  it('is refused at every length but its own', () => {
    for (let length = 0; length < image.length; length += 1) {
      expect(() => unpack(image.subarray(0, length))).toThrow(ImageFault);
    }
    expect(() => unpack(Buffer.concat([image, Buffer.alloc(1)]))).toThrow(ImageFault);
  });

  it('does not survive one changed bit: it is no image, or nobody signed it', () => {
    for (let bit = 0; bit < image.length * 8; bit += 1) {
      const changed = Buffer.from(image);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      let signed = false;
      try {
        signed = unpack(changed).signedBy([rawPublicKey(key)]);
      } catch (error) {
        expect(error).toBeInstanceOf(ImageFault);
      }
      expect(signed, `bit ${bit}`).toBe(false);
    }
  });

  it('is not found in anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: HEADER_BYTES, maxLength: HEADER_BYTES }), fc.boolean(), (bytes, magic) => {
        if (magic) bytes.set(image.subarray(0, 12));
        try {
          parseHeader(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(ImageFault);
        }
      }),
      { numRuns: 20_000, seed },
    );
  });
});

describe('a manifest', () => {
  const refused = (files: unknown, text = JSON.stringify({ files })) => {
    const manifest = Buffer.from(text);
    const header = { ...about, length: HEADER_BYTES + 3 + manifest.length + 64, manifestLength: manifest.length };
    return () => parseManifest(header, manifest);
  };
  const file = { name: 'main.js', size: 3, sha256: '0'.repeat(64) };

  it.each([
    ['no list', undefined],
    ['an empty list', []],
    ['a path', [{ ...file, name: '../main.js' }]],
    ['a hidden name', [{ ...file, name: '.env' }]],
    ['an absolute path', [{ ...file, name: '/etc/passwd' }]],
    ['a name with a zero byte', [{ ...file, name: 'a\0b' }]],
    [
      'one name twice',
      [
        { ...file, size: 1 },
        { ...file, size: 2 },
      ],
    ],
    ['a negative size', [{ ...file, size: -3 }]],
    ['half a byte', [{ ...file, size: 2.5 }]],
    ['a size past the content', [{ ...file, size: 4 }]],
    ['bytes in no file', [{ ...file, size: 2 }]],
    ['a short digest', [{ ...file, sha256: '00' }]],
    ['a digest in capitals', [{ ...file, sha256: 'A'.repeat(64) }]],
    ['a key of its own', [{ ...file, mode: 0o755 }]],
    ['null for a file', [null]],
    ['65 files', Array.from({ length: 65 }, (_, index) => ({ ...file, name: `f${index}`, size: 0 }))],
  ])('with %s is refused', (_, files) => {
    expect(refused(files)).toThrow(ImageFault);
  });

  it('is refused in another spelling of the same JSON', () => {
    expect(refused([], `{"files": ${JSON.stringify([file])}}`)).toThrow(ImageFault);
    expect(refused([], encodeManifest([file]).toString())).not.toThrow();
  });
});

describe('the header', () => {
  it.each([
    ['a variant that is too long', { variant: 'x'.repeat(33) }],
    ['no variant', { variant: '' }],
    ['a version that is none', { version: 'latest' }],
    ['a length over the bound', { length: 64 * 1024 * 1024 + 1 }],
    ['lengths that do not add up', { length: 128 }],
    ['a manifest over the bound', { length: 1024 * 1024, manifestLength: 64 * 1024 + 1 }],
  ])('with %s is neither written nor read', (_, wrong) => {
    expect(() => encodeHeader({ ...about, length: 1024, manifestLength: 10, ...wrong })).toThrow(ImageFault);
  });
});

describe('npm run image', () => {
  const run = (...args: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = main(args, { out: (text) => void out.push(text), err: (text) => void err.push(text) });
    return { code, out: out.join(''), err: err.join('') };
  };
  const folder = () => {
    const directory = mkdtempSync(join(tmpdir(), 'image-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const at = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    const pem = at('key.pem', key.export({ format: 'pem', type: 'pkcs8' }));
    return { at, pem, img: at('x.img', image) };
  };

  it('inspects, verifies and signs', () => {
    const { img, pem, at } = folder();
    expect(run('inspect', img)).toMatchObject({ code: 0, out: expect.stringContaining('version  1.2.3') });
    const signed = { code: 0, out: expect.stringContaining(`\nsigned by ${rawPublicKey(key)}`) };
    expect(run('verify', img, rawPublicKey(stranger), rawPublicKey(key))).toMatchObject(signed);
    expect(run('verify', img, pem)).toMatchObject(signed);
    expect(run('verify', img, rawPublicKey(stranger))).toMatchObject({
      code: 1,
      err: 'none of these keys signed it, but a key that the image does not name\n',
    });
    const other = at('other.pem', stranger.export({ format: 'pem', type: 'pkcs8' }));
    expect(run('sign', img, other).code).toBe(0);
    expect(run('verify', img, rawPublicKey(stranger)).code).toBe(0);
    expect(readFileSync(img).subarray(0, -64).equals(image.subarray(0, -64))).toBe(true);
  });

  it('says whose signature it is, also without a key to look for', () => {
    const { img, at } = folder();
    expect(run('inspect', img)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\nsigned by a key that the image does not name\n$/),
    });
    const own = rawPublicKey(key);
    const description = { name: 'image.json', bytes: Buffer.from(JSON.stringify({ trustedKeys: ['?', own] })) };
    const named = at('named.img', pack(about, [description], key));
    expect(run('inspect', named).out).toContain(`\nsigned by ${own}, which the image itself names\n`);
    expect(run('verify', named, rawPublicKey(stranger))).toMatchObject({ code: 1, err: expect.stringContaining(own) });
  });

  it('says what it refuses and why', () => {
    const { img, at } = folder();
    expect(run('inspect', at('short.img', image.subarray(0, 500)))).toMatchObject({ code: 1 });
    expect(run('inspect', '/nowhere/x.img')).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') });
    expect(run('sign', img, img).code).toBe(1);
    for (const args of [[], ['inspect'], ['verify', img], ['eat', img], ['sign', img, 'a', 'b']]) {
      expect(run(...args)).toMatchObject({ code: 2, err: expect.stringContaining('usage') });
    }
  });
});

describe('a release', () => {
  it('is not made without a key, and trusts its row alone', () => {
    expect(() => signingOf({ release: true, keyFile: undefined })).toThrow('--release needs --key FILE');
    const directory = mkdtempSync(join(tmpdir(), 'key-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const keyFile = join(directory, 'key.pem');
    writeFileSync(keyFile, key.export({ format: 'pem', type: 'pkcs8' }));
    expect(signingOf({ release: true, keyFile }).alsoTrusted).toEqual([]);
    expect(signingOf({ release: false, keyFile }).alsoTrusted).toEqual([rawPublicKey(key)]);
    // Its nodes would take no update, and nobody would know before they are in the field.
    const release = signingOf({ release: true, keyFile });
    expect(warningOf('wifi', [], release)).toContain(rawPublicKey(key));
    expect(warningOf('wifi', [rawPublicKey(key)], release)).toBe('');
    expect(warningOf('wifi', [], signingOf({ release: false, keyFile }))).toBe('');
  });
});
