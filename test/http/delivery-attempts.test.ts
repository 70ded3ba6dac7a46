/** Delivery without a socket: what it asks of the one that sends, how often and when, and what it counts. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Delivery, type DeliveryParts } from '../../runtime/http/delivery.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';

const scan = (value: string) => ({ type: 'scan_read', value });
const webhook = { url: 'http://hook.test/', secret: 'sesame', events: ['scan_read'] };

/** Waits until something is so, for as many rounds of the event loop as nothing here takes. */
async function rounds(isSo: () => boolean): Promise<void> {
  for (let round = 0; !isSo(); round += 1) {
    expect(round).toBeLessThan(100);
    await new Promise(setImmediate);
  }
}

/** Each attempt has one of these outcomes after the other: a status, or an error. */
function deliver(outcomes: readonly (number | Error | Promise<number>)[], parts: Partial<DeliveryParts> = {}) {
  const left = [...outcomes];
  const post = vi.fn<DeliveryParts['outbound']['post']>(async () => {
    const outcome = await (left.shift() ?? expect.fail('one attempt too many'));
    if (typeof outcome === 'number') return outcome;
    throw outcome;
  });
  const close = vi.fn();
  const warn = vi.fn();
  const delivery = new Delivery({
    ...{ webhook: () => webhook, node: '0badcafe', uptimeMs: () => 0, outbound: { post, close } },
    ...{ log: { ...silentLogger, warn }, ...parts },
  });
  const isSettled = ({ delivered, dropped, seq } = delivery.status()) => delivered + dropped === seq;
  const settled = () => rounds(isSettled);
  const offer = async (value: string) => {
    delivery.offer(scan(value));
    await settled();
    return delivery.status();
  };
  return { delivery, offer, settled, post, close, warn };
}

describe('an event', () => {
  it.each<[outcomes: readonly (number | Error)[], delivered: number, lastStatus: number]>([
    [[200], 1, 200],
    [[299], 1, 299],
    [[199, 200], 1, 200],
    [[300, 300], 0, 300],
    [[399, 204], 1, 204],
    [[400], 0, 400],
    [[499], 0, 499],
    [[500, 500], 0, 500],
    [[new Error('reset'), 200], 1, 200],
    [[500, new Error('reset')], 0, -1],
  ])('answered by %o is delivered %i times, and its last status is %i', async (outcomes, delivered, lastStatus) => {
    const { offer, post } = deliver(outcomes);
    expect(await offer('1')).toMatchObject({ delivered, dropped: 1 - delivered, lastStatus });
    expect(post).toHaveBeenCalledTimes(outcomes.length);
  });

  it.each([
    [511, 1],
    [512, 0],
  ])('of %i bytes is delivered %i times', async (bytes, delivered) => {
    const value = 'x'.repeat(bytes - JSON.stringify(scan('')).length);
    expect(await deliver([200]).offer(value)).toMatchObject({ delivered, dropped: 1 - delivered, seq: 1 });
  });

  it('has five seconds an attempt, and the authorities of the shop if it names any', async () => {
    const ca = vi.fn(() => '');
    const { offer, post } = deliver([200, 200], { ca });
    await offer('1');
    ca.mockReturnValue('of the shop');
    await offer('2');
    expect(post.mock.calls.map(([{ deadlineMs, ca: used }]) => [deadlineMs, used])).toEqual([
      [5000, undefined],
      [5000, 'of the shop'],
    ]);
  });

  it('has an attempt of which is told how long ago it ended', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.advanceTimersByTime(5000);
    const { offer, delivery } = deliver([200]);
    await offer('1');
    expect(delivery.status().lastAttemptAgoMs).toBe(0);
    vi.advanceTimersByTime(1234.6);
    expect(delivery.status().lastAttemptAgoMs).toBe(1234);
  });

  it('that is not delivered is logged with 200 characters of the reason, once until another or a delivery', async () => {
    const long = new Error('x'.repeat(300));
    const { offer, warn } = deliver([400, 400, long, long, 200, 400]);
    for (const value of ['1', '2', '3', '4', '5']) await offer(value);
    const answered = 'the receiver answered 400';
    expect(warn.mock.calls.map(([{ reason }]) => reason)).toEqual([answered, 'x'.repeat(200), answered]);
  });
});

describe('the queue', () => {
  /** One in flight, whose answer is still to come. */
  async function inFlight(waiting: number) {
    let answer: (status: number) => void = () => {};
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    const parts = deliver([answered, ...Array.from({ length: 9 }, () => 200)]);
    for (let n = 0; n <= waiting; n += 1) parts.delivery.offer(scan(`${n}`));
    await rounds(() => parts.post.mock.calls.length === 1);
    return { ...parts, answer };
  }
  const seqs = ({ mock }: ReturnType<typeof deliver>['post']) =>
    mock.calls.map(([{ headers }]) => headers['X-NODE-Seq']);

  it('has room for eight, and lets the oldest go for the next', async () => {
    const { delivery, post, answer, settled } = await inFlight(8);
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 0, queued: 8, seq: 9 });
    delivery.offer(scan('9'));
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 1, queued: 8, seq: 10 });
    answer(200);
    await settled();
    expect(seqs(post)).toEqual(['1', '3', '4', '5', '6', '7', '8', '9', '10']);
  });

  it('is dropped at the end of the node, which waits for the one in flight and tries it no second time', async () => {
    const { delivery, post, close, answer } = await inFlight(2);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stopped = delivery.stop(1000);
    expect(delivery.status()).toMatchObject({ dropped: 2, queued: 0 });
    vi.advanceTimersByTime(999);
    expect(close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(close).toHaveBeenCalledOnce();
    answer(500);
    await stopped;
    expect(close).toHaveBeenCalledTimes(2);
    delivery.offer(scan('too late'));
    expect(delivery.status()).toMatchObject({ delivered: 0, dropped: 3, queued: 0, seq: 3 });
    expect(post).toHaveBeenCalledOnce();
  });

  it('that is empty is closed at once, and nothing comes after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { delivery, close } = deliver([]);
    await delivery.stop(1000);
    vi.advanceTimersByTime(1000);
    expect(close).toHaveBeenCalledOnce();
  });
});
