import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settingsNodes } from './node.ts';

const KEY = 'first key of the shop';
const OTHER = 'another key entirely!';
const newNode = settingsNodes();

interface Step {
  readonly restart: boolean;
  readonly credential: string | undefined;
  readonly patch: { readonly apiMode?: string; readonly apiKey?: string };
}

/** Specification 3.1 and 5, rules 4 to 9, said once more. */
function expected(mode: string, key: string, { credential, patch }: Step): string {
  const shown = key !== '' && credential === key;
  if (mode !== 'open' && !shown) return 'api_locked';
  if (patch.apiKey !== undefined && key !== '' && !shown) return 'api_locked';
  const next = { mode: patch.apiMode ?? mode, key: patch.apiKey ?? key };
  if (next.key !== '' && next.key.length < 16) return 'invalid_config';
  return next.mode !== 'open' && next.key === '' ? 'invalid_config' : 'ok';
}

it('mode and key follow the state table, whatever is sent in whatever order, restarts included', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    restart: fc.boolean(),
    credential: fc.constantFrom(undefined, KEY, OTHER, ''),
    patch: fc.record(
      { apiMode: fc.constantFrom('open', 'admin', 'strict'), apiKey: fc.constantFrom(KEY, OTHER, '', 'short') },
      { requiredKeys: [] },
    ),
  });
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      let [mode, key] = ['open', ''];
      let node = await newNode();
      for (const each of steps) {
        if (each.restart) node = await node.restart();
        const code = expected(mode, key, each);
        expect((await node.put({ ...each.patch }, each.credential)).code).toBe(code);
        if (code === 'ok') [mode, key] = [each.patch.apiMode ?? mode, each.patch.apiKey ?? key];
        expect(node.config()).toMatchObject({ apiMode: mode, apiKeySet: key !== '' });
        reached.add(`${mode}${key === '' ? '' : ' with key'}: ${code}`);
      }
    }),
    { seed: 20_240_501, numRuns: 500 },
  );
  const locked = ['open with key', 'admin with key', 'strict with key'];
  const all = [...locked, 'open'].flatMap((state) => [`${state}: ok`, `${state}: invalid_config`]);
  expect([...reached].sort()).toEqual([...all, ...locked.map((state) => `${state}: api_locked`)].sort());
});
