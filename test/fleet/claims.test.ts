/** What an OpenID provider says of people, and where it says it. */
import { expect, it } from 'vitest';
import { browser } from './browser.ts';
import { databases, EITHER, fleetOn } from './fleet.ts';
import { type Provider, startProvider } from './provider.ts';

const CLIENT = { id: 'fleet', secret: 'secret-of-the-client' };
const [engine] = EITHER;
const database = databases(engine);

/** A fleet that lets these people in, and the role of who comes to it from a provider of which this is so. */
async function started(people: string[], about: Partial<Provider> = {}) {
  const provider = Object.assign(await startProvider(CLIENT), about);
  const openid = { issuer: provider.issuer, client: CLIENT.id, secret: CLIENT.secret, people };
  const fleet = await fleetOn(await database(), { openid });
  const roleOf = async (person: Record<string, unknown>) => {
    provider.person = person;
    const visitor = browser(fleet);
    await visitor.viaProvider();
    return (await visitor.go('GET', '/api/session')).body.role;
  };
  return { provider, roleOf };
}

it('an address with more than one @, with spaces, or that only looks like one of the list counts for nobody', async () => {
  const { roleOf } = await started(['@example.org=viewer', 'mark@example.com=owner']);
  const verified = (email: unknown) => ({ sub: 'a', email, email_verified: true });
  expect(await roleOf(verified('Mark@Example.COM'))).toBe('owner');
  expect(await roleOf(verified('ada@example.org'))).toBe('viewer');
  for (const email of [
    ...['x@evil@example.org', 'x@evil.example @example.org', '@example.org', 'x\u0000@example.org', 'x\n@example.org'],
    // The sign of kelvin, whose small letter is that of ASCII.
    'mar\u212a@example.com',
    ['ada@example.org'],
  ])
    expect(await roleOf(verified(email)), JSON.stringify(email)).toBeNull();
});

it('groups are asked for where the list names some and the provider has a scope for them', async () => {
  const asked = async (people: string[], scopes: string[]) => {
    const { provider, roleOf } = await started(people, { scopes });
    await roleOf({ sub: 'a' });
    return provider.asked[0];
  };
  const known = ['openid', 'email', 'groups'];
  expect(await asked(['group:shops'], known)).toBe('openid email groups');
  expect(await asked(['group:shops'], ['openid', 'email'])).toBe('openid email');
  expect(await asked(['@example.org'], known)).toBe('openid email');
});

it('what the list asks for and the identity token lacks is asked of the provider, of the same person', async () => {
  const info = { sub: 'a', email: 'ada@example.org', email_verified: true, groups: ['shops'] };
  const { provider, roleOf } = await started(['ada@example.org=owner', 'group:shops=viewer'], { info });
  expect(await roleOf({ sub: 'a' })).toBe('owner');
  // An address of the token is not verified by what is said elsewhere.
  expect(await roleOf({ sub: 'a', email: 'ada@example.org' })).toBe('viewer');
  expect(await roleOf({ sub: 'b' })).toBeNull();
  provider.info = { ...info, email_verified: false };
  expect(await roleOf({ sub: 'a' })).toBe('viewer');
});
