/** `npm run image`: inspects, verifies and signs image files. Exit codes: 0 success, 1 refused, 2 usage error. */

import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Output } from '../../base/output.ts';
import { messageOf } from '../../base/thrown.ts';
import { rawPublicKey } from '../../image/format.ts';
import { readKey, resign, type Unpacked, unpack } from '../../image/pack.ts';

const USAGE = `usage: npm run image -- inspect FILE
       npm run image -- verify FILE KEY...     KEY: a public key as a variant row names it, or a PEM file
       npm run image -- sign FILE PEM          signs in place with an Ed25519 private key
`;

/** Runs one command; returns the exit code. */
export function main([command, file, ...keys]: readonly string[], { out, err }: Output): number {
  const wanted = { inspect: keys.length === 0, verify: keys.length > 0, sign: keys.length === 1 };
  if (file === undefined || !Object.hasOwn(wanted, command ?? '') || !wanted[command as keyof typeof wanted]) {
    err(USAGE);
    return 2;
  }
  try {
    const image = readFileSync(file);
    if (command === 'sign') {
      const signed = resign(image, readKey(keys[0] ?? ''));
      writeFileSync(file, signed);
      out(`${summary(unpack(signed))}\n`);
      return 0;
    }
    const unpacked = unpack(image);
    out(`${summary(unpacked)}\n`);
    const signer = keys.find((key) => unpacked.signedBy([publicKey(key)]));
    if (signer !== undefined) {
      out(`signed by ${publicKey(signer)}${signer === publicKey(signer) ? '' : ` (${signer})`}\n`);
      return 0;
    }
    const own = trustedBy(image, unpacked).find((key) => unpacked.signedBy([key]));
    const who = own === undefined ? 'a key that the image does not name' : `${own}, which the image itself names`;
    out(`signed by ${who}\n`);
    if (command === 'verify') err(`none of these keys signed it, but ${who}\n`);
    return command === 'verify' ? 1 : 0;
  } catch (error) {
    err(`${file}: ${messageOf(error)}\n`);
    return 1;
  }
}

const RAW_KEY = /^[A-Za-z0-9+/]{43}=$/;
const publicKey = (text: string) => (RAW_KEY.test(text) ? text : rawPublicKey(readKey(text)));

/** The keys that the image's own description names. Anybody can make an image that names the key which signed it. */
function trustedBy(image: Uint8Array, { files }: Unpacked): string[] {
  const { offset = 0, size = 0 } = files.find(({ name }) => name === 'image.json') ?? {};
  const { trustedKeys } = JSON.parse(Buffer.from(image).toString('utf8', offset, offset + size) || '{}') as {
    readonly trustedKeys?: unknown;
  };
  return Array.isArray(trustedKeys) ? trustedKeys.filter((key) => RAW_KEY.test(String(key))) : [];
}

const summary = ({ header: { variant, version, floor, length }, files, digest }: Unpacked) =>
  [
    `variant  ${variant}`,
    `version  ${version}`,
    `floor    ${floor}`,
    `length   ${length}`,
    `sha256   ${digest}`,
    ...files.map(({ name, size, sha256 }) => `file     ${name}  ${size}  ${sha256}`),
  ].join('\n');

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // The reader of the output has ended, as in `inspect FILE | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  process.exitCode = main(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}
