/** Answers of hostile servers: XML of Server Direct Print, JSON of CloudPRNT, challenges. FUZZ_ANSWERS and FUZZ_SEED make it longer. */

import { mkdtempSync, rmSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sdpJobs } from '../../codecs/epos-sdp.ts';
import { PrintCommand } from '../../plugins/printer/contract.ts';
import { createAjv } from '../../runtime/base/ajv.ts';
import { Authentication } from '../../runtime/pull/authentication.ts';
import { cloudprnt } from '../../runtime/pull/cloudprnt.ts';
import { Journal } from '../../runtime/pull/journal.ts';
import { ServerFault } from '../../runtime/pull/server.ts';
import { eposPrint, requestInfo } from '../pull/servers.ts';
import { randomFrom } from '../random.ts';

const ANSWERS = Number(process.env['FUZZ_ANSWERS'] ?? 2000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 35);
const LIMIT_MS = 60_000 + 5 * ANSWERS;

const IMAGE = Buffer.alloc(16, 0x5a).toString('base64');
const BODY =
  '<text align="center" dw="true" em="true">Shop &amp; Café&#10;</text><text em="false" dw="false" x="24">1&#10;</text><feed line="2"/>' +
  `<image width="16" height="8" mode="mono">${IMAGE}</image><image width="4" height="8" mode="gray16">${IMAGE}</image>` +
  '<barcode type="code128" hri="below">{B123</barcode><symbol type="qrcode_model_2" level="level_m">a</symbol>' +
  '<layout type="receipt"/><command>1b40</command><pulse drawer="drawer_1"/><cut type="feed"/>';
const XML = requestInfo([eposPrint('a-1', BODY), eposPrint('b', '<text>b</text>')]);
const JSONS = [
  { jobReady: true, jobToken: 't', mediaTypes: ['text/plain', 'image/png'], deleteMethod: 'DELETE' },
  {
    jobReady: false,
    clientAction: [
      { request: 'SetID', options: 'x' },
      { request: 'PageInfo', options: '' },
    ],
  },
  { jobReady: true, mediaType: 'image/jpeg', clientAction: null },
  { jobReady: true, jobToken: 7, mediaTypes: [], jobGetUrl: '/jobs/7', jobConfirmationUrl: 'https://b.test/done' },
].map((each) => JSON.stringify(each));
const CHALLENGE =
  'Negotiate abc==, Digest realm="a \\"b\\"", nonce="n/+=1", qop="auth,auth-int", algorithm=SHA-256-sess, opaque="o", ' +
  'userhash=true, stale=true, nextnonce="m", Basic realm="a", charset="UTF-8"';
const SPICES = [
  ...[
    '<',
    '>',
    '&',
    '"',
    "'",
    '&#0;',
    '&#x110000;',
    '&lol;',
    '<![CDATA[',
    ']]>',
    '<!--',
    '<?a?>',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
  ],
  ...[
    '<pulse/>',
    '<page>',
    '</epos-print>',
    'xmlns=""',
    '\u0000',
    '\ud800',
    '\ufeff',
    '{',
    '}',
    '[',
    'null',
    '1e999',
    '-1',
    '__proto__',
  ],
  ...['99999999', '{C', '\\x', ' '.repeat(99), '<a>'.repeat(20)],
];

/** One to six small changes of a text: a piece goes, comes twice, moves, or something odd comes in. */
function mutated(text: string, random: () => number): string {
  let changed = text;
  for (let times = 1 + Math.floor(random() ** 2 * 6); times > 0; times -= 1) {
    const at = Math.floor(random() * changed.length);
    const end = Math.min(changed.length, at + Math.floor(random() ** 3 * 60));
    const piece = changed.slice(at, end);
    const to = Math.floor(random() * changed.length);
    const kind = random();
    if (kind < 0.25) changed = changed.slice(0, at) + changed.slice(end);
    else if (kind < 0.45) changed = changed.slice(0, to) + piece + changed.slice(to);
    else if (kind < 0.95)
      changed =
        changed.slice(0, at) +
        (SPICES[Math.floor(random() * SPICES.length)] ?? '') +
        changed.slice(random() < 0.5 ? at : end);
    else changed = changed.slice(0, at);
  }
  return changed;
}

it(
  `nothing is made of ${ANSWERS} answers in XML that a node refuses by its form, and no drawer is opened unasked, seed ${SEED}`,
  () => {
    const random = randomFrom(SEED);
    const isPrint = createAjv().compile(PrintCommand);
    let read = 0;
    for (let run = 0; run < ANSWERS; run += 1) {
      const answer = mutated(XML, random);
      for (const { commands } of sdpJobs(answer).jobs) {
        if ('fault' in commands) {
          if (commands.fault.length > 300) throw new Error(`a fault of ${commands.fault.length} characters: ${answer}`);
          continue;
        }
        read += 1;
        for (const command of commands) {
          const whole = { ...command, id: 'a', endpoint: 'receipt' };
          const holds =
            command.type === 'print' ? isPrint(whole) : answer.includes(command.type === 'raw' ? '<command' : '<pulse');
          if (!holds) throw new Error(`${JSON.stringify(isPrint.errors?.[0] ?? command)}: ${answer}`);
        }
      }
    }
    expect(read).toBeGreaterThan(ANSWERS / 20);
  },
  LIMIT_MS,
);

it(
  `each of ${ANSWERS} answers in JSON is an offer or a fault of the server, and nothing is fetched that was not offered, seed ${SEED}`,
  async () => {
    const random = randomFrom(SEED);
    const folder = mkdtempSync(join(tmpdir(), 'pull-fuzz-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let answer = '';
    let rounds = 0;
    const methods: string[] = [];
    const server = {
      request: async (method: string) => {
        methods.push(method);
        if (method === 'GET') throw new ServerFault('none', 500);
        rounds += 1;
        return { status: 200, headers: {}, body: Buffer.from(rounds > 1 ? '{}' : answer) };
      },
    };
    const parts = {
      url: new URL('http://a.test/?b=c'),
      id: 'a',
      everyMs: 1000,
      state: async () => undefined,
      log: () => {},
    };
    const ready = { known: true, online: true, paperOut: false, coverOpen: false };
    let journal = new Journal(folder);
    let offers = 0;
    let faults = 0;
    for (let run = 0; run < ANSWERS; run += 1) {
      answer = mutated(JSONS[run % JSONS.length] ?? '', random);
      rounds = 0;
      methods.length = 0;
      // An ID that the server sets is written to the disk.
      if (run % 500 === 499) {
        journal.close();
        journal = new Journal(folder);
      }
      const { ask } = cloudprnt(server, journal, { ...parts, state: async () => ready });
      await ask().then(
        () => {
          offers += 1;
        },
        (error: unknown) => {
          if (!(error instanceof ServerFault)) throw error;
          faults += 1;
        },
      );
      if (methods.includes('GET') && !/"jobReady"\s*:\s*"?(true|1)/i.test(answer))
        throw new Error(`fetched: ${answer}`);
      if (methods.length > 6) throw new Error(`${methods.length} requests: ${answer}`);
    }
    journal.close();
    expect(Math.min(offers, faults)).toBeGreaterThan(ANSWERS / 20);
  },
  LIMIT_MS,
);

it(
  `each of ${ANSWERS} challenges has an answer that can be sent, or is told in few words without the password, seed ${SEED}`,
  () => {
    const random = randomFrom(SEED);
    const url = new URL('https://a.test/?b="c"');
    const credentials = { user: 'K\u00e4se "1"\\', password: 'open sesame' };
    let answered = 0;
    let told = 0;
    for (let run = 0; run < ANSWERS; run += 1) {
      // What Node reads of a head.
      const head = mutated(CHALLENGE, random).replace(/[^\t -~\x80-\xff]/g, '');
      const log: string[] = [];
      const options = { origin: url.origin, credentials, eager: false, log: (words: string) => void log.push(words) };
      const authentication = new Authentication(options);
      if (authentication.challenged(url, { 'www-authenticate': head }, undefined)) {
        answered += 1;
        authentication.taken(url, { 'authentication-info': head });
        const authorization = authentication.for('POST', url);
        if (!/^(Digest|Basic) /.test(authorization ?? '')) throw new Error(`${authorization}: ${head}`);
        validateHeaderValue('Authorization', authorization ?? '');
        if (authentication.for('POST', new URL('https://b.test/')) !== undefined) throw new Error(head);
      } else told += 1;
      const words = [authentication.fault, ...log].join();
      if (words.length > 300 || words.includes('sesame')) throw new Error(`${words}: ${head}`);
    }
    expect(Math.min(answered, told)).toBeGreaterThan(ANSWERS / 100);
  },
  LIMIT_MS,
);
