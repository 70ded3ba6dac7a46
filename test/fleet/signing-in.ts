/** What the tests of signing in do: set the password, come as somebody's browser, look at the audit. */
import type { Browser } from './browser.ts';
import type { RunningFleet } from './fleet.ts';
import type { Provider } from './provider.ts';

export const PASSWORD = 'correct horse battery';
export const CLIENT = { id: 'fleet', secret: 'client-secret' };

export const setPassword = (fleet: RunningFleet, password = PASSWORD) =>
  fleet.call('PUT', '/api/password', { password });
export const isIn = async (visitor: Browser) => (await visitor.go('GET', '/api/nodes')).status === 200;
export const audit = async (fleet: RunningFleet): Promise<string[]> =>
  (await fleet.call('GET', '/api/audit')).body.entries.map(
    ({ who, what }: { who: string; what: string }) => `${who}: ${what}`,
  );

export const openidOf = ({ issuer }: Provider, people = ['@example.org']) => ({
  issuer,
  client: CLIENT.id,
  secret: CLIENT.secret,
  people,
});
