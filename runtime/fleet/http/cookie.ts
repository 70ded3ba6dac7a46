/** Cookies that programs of a page do not see. */
import type { Context } from 'koa';

/** Name of the cookie that has the key of a session. */
export const COOKIE = 'tillnode-fleet';

/**
 * Gives the browser a cookie for so many seconds by its own clock (RFC 6265, 5.2.2); for HTTPS alone where that is spoken. The
 * `Expires` of Koa would be by the clock of this process.
 */
export function giveCookie(
  context: Context,
  name: string,
  value: string,
  { path, seconds }: { readonly path: string; readonly seconds: number },
): void {
  const secure = context.secure ? '; Secure' : '';
  context.append('Set-Cookie', `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
}

/** Takes it back. */
export const takeCookie = (context: Context, name: string, path: string): void =>
  giveCookie(context, name, '', { path, seconds: 0 });
