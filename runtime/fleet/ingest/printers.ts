/** The printers of a node, of which webhooks tell one at a time: so many, in so many bytes, whatever it says. */
import type { Heartbeat } from './contract.ts';

export type Printer = NonNullable<Heartbeat['printers']>[number] & {
  /** Since when it has no paper, as it was heard here. */
  readonly paperOutSince?: string;
};

/** As many as a heartbeat has, and more bytes than one has in all. */
const MOST = 64;
const BYTES = 24 * 1024;
const NAME_LENGTH = 64;

/**
 * The printers with the one that a webhook tells of: with what was known of it, or, where that is too much, with what is said
 * now, for which others go. Undefined where there is no room for another one, or it has no name that one could have.
 */
export function withPrinter(
  before: readonly Printer[],
  told: Printer,
  withPaper: (now: Printer) => Printer,
): readonly Printer[] | undefined {
  const { endpoint } = told;
  if (endpoint !== undefined && (typeof endpoint !== 'string' || endpoint.length > NAME_LENGTH)) return undefined;
  const kept = within(before);
  const was = kept.find((each) => each.endpoint === endpoint);
  const put = (now: Printer) => (was === undefined ? [...kept, now] : kept.map((each) => (each === was ? now : each)));
  const either = [{ ...was, ...told }, told].map((now) => put(withPaper(now)));
  const fits = either.find((each) => within(each).length === each.length);
  if (fits !== undefined || was === undefined) return fits;
  return within([withPaper(told), ...kept.filter((each) => each !== was)]);
}

/** The first ones for which there is room. */
export function within(printers: readonly Printer[]): readonly Printer[] {
  let bytes = 0;
  const over = printers.findIndex((each, at) => {
    bytes += Buffer.byteLength(JSON.stringify(each)) + 1;
    return at >= MOST || bytes > BYTES;
  });
  return over === -1 ? printers : printers.slice(0, over);
}
