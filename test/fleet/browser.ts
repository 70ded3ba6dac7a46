import { answerOf, type RunningFleet } from './fleet.ts';

/** A browser, as far as the fleet sees: it keeps cookies, and says where a request is from. */
export function browser(fleet: RunningFleet, from: Record<string, string> = {}) {
  const cookies = new Map<string, string>();
  const origin = new URL(fleet.url).origin;
  const go = async (method: string, url: string, body?: object, more: Record<string, string> = {}) => {
    const response = await fetch(new URL(url, fleet.url), {
      method,
      redirect: 'manual',
      headers: {
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method !== 'GET' && { Origin: origin }),
        ...from,
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answerOf(response);
  };
  return {
    go,
    cookies,
    enter: (password: string) => go('POST', '/api/session', { password }),
    /** Follows the way to the provider and back; resolves with where it ends. */
    async viaProvider(change: (back: URL) => void = () => {}) {
      const to = (await go('GET', '/sign-in/openid')).headers.get('location') ?? '';
      if (to.startsWith('/')) return to;
      const back = new URL((await fetch(to, { redirect: 'manual' })).headers.get('location') ?? '');
      change(back);
      return (await go('GET', `${back.pathname}${back.search}`)).headers.get('location');
    },
  };
}
export type Browser = ReturnType<typeof browser>;
