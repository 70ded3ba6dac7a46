/** When the start of a system that is tried is good. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { standingOf, works } from '../../runtime/disk/system/trial.ts';

const PAUSE_MS = 1;
const FAULT = undefined;
let node: Server | undefined;
afterEach(() => node?.close());

/** A node that answers so, one question after the other, and then like the last time. `asked`: how often, so far. */
async function nodeWith(
  answers: readonly (readonly [endpoint: string, kind: string, condition: string][] | undefined)[],
  modes = ['offline'],
) {
  let asked = 0;
  node = createServer(({ url }, response) => {
    if (url === '/network')
      return void response.end(JSON.stringify({ mode: modes[Math.min(asked, modes.length) - 1] }));
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    response.statusCode = answer === FAULT ? 500 : 200;
    const peripherals = answer?.map(([endpoint, kind, condition]) => ({ endpoint, kind, condition }));
    response.end(JSON.stringify({ peripherals }));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  return { url: `http://127.0.0.1:${(node.address() as AddressInfo).port}`, asked: () => asked };
}

const had = (printers: string[], linked = false) => ({ printers, linked });
const BOUND = ['receipt', 'printer', 'bound'] as [string, string, string];
const SILENT = ['receipt', 'printer', 'silent'] as [string, string, string];
const ABSENT = ['receipt', 'printer', 'absent'] as [string, string, string];
const KITCHEN = ['kitchen', 'printer', 'bound'] as [string, string, string];
const SCANNER = ['scanner', 'scanner', 'bound'] as [string, string, string];

describe('a system that is tried', () => {
  it('is good when its node answers, where no printer was bound', async () => {
    const { url, asked } = await nodeWith([FAULT, FAULT, [ABSENT]]);
    await works(url, had([]), PAUSE_MS);
    expect(asked()).toBe(3);
  });

  it('is good when each printer is bound again that was', async () => {
    const { url, asked } = await nodeWith([[ABSENT, SCANNER], [BOUND], [BOUND, KITCHEN]]);
    await works(url, had(['receipt', 'kitchen']), PAUSE_MS);
    expect(asked()).toBe(3);
  });

  it('is good where a printer that answers nothing is there again, whether it was known to before or not', async () => {
    const { url, asked } = await nodeWith([[ABSENT], [SILENT]]);
    expect(await standingOf(url)).toEqual(had([]));
    expect(await standingOf(url)).toEqual(had(['receipt']));
    await works(url, had(['receipt']), PAUSE_MS);
    expect(asked()).toBe(3);
  });

  it('is not good while one of them is missing, whatever else is there', async () => {
    const { url, asked } = await nodeWith([[ABSENT, KITCHEN, SCANNER]]);
    let good = false;
    const ended = works(url, had(['receipt']), PAUSE_MS).then(() => {
      good = true;
    });
    while (asked() < 5) await new Promise(setImmediate);
    expect(good).toBe(false);
    node!.removeAllListeners('request').on('request', ({ url }, response) => {
      const peripherals = [{ endpoint: 'receipt', kind: 'printer', condition: 'bound' }];
      response.end(JSON.stringify(url === '/network' ? { mode: 'offline' } : { peripherals }));
    });
    await ended;
  });

  it.each(['station', 'ethernet'])(
    'is good when it is in a network again, where the one before was: %s',
    async (mode) => {
      const { url, asked } = await nodeWith([[BOUND]], ['offline', 'setup', mode]);
      await works(url, had(['receipt'], true), PAUSE_MS);
      expect(asked()).toBe(3);
    },
  );

  it('has the printers that are bound, and no other thing', async () => {
    const { url } = await nodeWith([[BOUND, SCANNER, ['bar', 'printer', 'error']]]);
    expect(await standingOf(url)).toEqual({ printers: ['receipt'], linked: false });
    expect(await standingOf('http://127.0.0.1:1')).toBeUndefined();
  });
});
