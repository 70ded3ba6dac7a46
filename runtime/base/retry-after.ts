/** When to come again, as a server says it. */

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds from now: seconds, or a date; undefined where it is left out or says nothing. */
export function retryAfterMs(field: string | undefined): number | undefined {
  if (field === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(field) ? 1000 * Number(field) : Date.parse(field) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
