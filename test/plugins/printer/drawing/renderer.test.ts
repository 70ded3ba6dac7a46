/** What cannot be laid out in the node's own thread is laid out in another, which may fail without the node. */
import { cachedDataVersionTag } from 'node:v8';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import { Renderer } from '../../../../plugins/printer/drawing/renderer.ts';
import { VirtualHost } from '../../../../runtime/bindings/virtual/host.ts';
import { silentLogger } from '../../../../runtime/kernel/log.ts';
import type { Node } from '../../../../runtime/kernel/node.ts';
import { asBuilt, leanHeap } from '../../../../runtime/kernel/v8-flags.ts';

const TEN_MINUTES = 600_000;
const job = (value: string) => ({
  lines: [{ type: 'text' as const, value }],
  settings: { columns: 48, cutClearanceLines: 4 },
  options: resolveOptions(),
});

const NODE = { image: { scripts: [] as readonly string[] } as Node['image'] };

function start() {
  const host = new VirtualHost();
  const errors: object[] = [];
  const beside = vi.fn(() => new URL('./thread.mjs', import.meta.url).pathname);
  const log = { ...silentLogger, error: (fields: object) => errors.push(fields) };
  const renderer = new Renderer({ beside, log, ...NODE, bindings: { host } as unknown as Node['bindings'] });
  onTestFinished(() => renderer.stop());
  return {
    host,
    errors,
    renderer,
    /** How many threads were started. */
    started: () => beside.mock.calls.length,
    /** What the thread says, or why it says nothing. */
    bytes: (value: string, from = '10.0.0.1') =>
      renderer.bytes(job(value), from).then(
        (answer) => ('bytes' in answer ? Buffer.from(answer.bytes).toString() : answer.error),
        (fault: Error) => fault.message,
      ),
    paper: (value: string, wanted = () => true, from = '10.0.0.1') =>
      renderer.paper(job(value), from, wanted).then(
        (answer) => ('svg' in answer ? Buffer.from(answer.svg).toString() : answer.error),
        (fault: Error) => fault.message,
      ),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the drawing thread', () => {
  it('is started by the first job, and takes one after the other', async () => {
    const { bytes, started } = start();
    expect(started()).toBe(0);
    expect(await Promise.all([bytes('a'), bytes('b')])).toEqual(['a 1', 'b 2']);
    expect(started()).toBe(1);
  });

  it('draws what a printer waits for before what somebody only looks at', async () => {
    const { bytes, paper } = start();
    expect(await Promise.all([paper('1st'), paper('look'), bytes('print'), paper('look'), bytes('print')])).toEqual([
      '1st 1',
      'look 4',
      'print 2',
      'look 5',
      'print 3',
    ]);
  });

  it('draws a piece of the job of each address in turn, and of an address one job after the other', async () => {
    const { bytes } = start();
    const [first, second] = ['10.0.0.1', '10.0.0.2'];
    const jobs = [bytes('of 4 a', first), bytes('of 2 b', first), bytes('of 3 c', second), bytes('d', second)];
    expect(await Promise.all(jobs)).toEqual(['a 1 3 5 7', 'b 9 10', 'c 2 4 6', 'd 8']);
  });

  it('draws what a printer waits for also before the next piece of what somebody only looks at', async () => {
    const { bytes, paper } = start();
    const looks = [paper('of 3 look'), paper('of 2 look', () => true, '10.0.0.2')];
    expect(await Promise.all([...looks, bytes('of 2 print'), bytes('print')])).toEqual([
      'look 1 6 8',
      'look 5 7',
      'print 2 3',
      'print 4',
    ]);
  });

  it('has at most eight jobs for printers drawn in part; those of the ninth address begin when one of them is done', async () => {
    const { bytes } = start();
    const jobs = Array.from({ length: 9 }, (_, n) => bytes(`of ${n === 4 ? 2 : 3} ${n}`, `10.0.0.${n}`));
    const said = await Promise.all(jobs);
    expect(said.slice(3, 6)).toEqual(['3 4 12 21', '4 5 13', '5 6 15 23']);
    expect(said[8]).toBe('8 14 22 26');
  });

  it('has at most two papers drawn in part, while the lines of others are laid out; the third begins when one of them is done', async () => {
    const { paper } = start();
    const address = (n: number) => `10.0.0.${n}`;
    const papers = ['a', 'b', 'c'].map((name, n) => paper(`staged of 4 ${name}`, () => true, address(n)));
    const lines = paper('of 5 lines', () => true, address(4));
    expect(await Promise.all([...papers, lines])).toEqual([
      'a 1 5 8 11',
      'b 2 6 9 13',
      'c 3 12 15 17',
      'lines 4 7 10 14 16',
    ]);
  });

  it('draws no further piece of what nobody waits for any more', async () => {
    const { bytes, paper } = start();
    let looks = 0;
    const gone = paper('of 9 gone', () => {
      looks += 1;
      return looks < 3;
    });
    expect(await gone).toMatch(/nobody waits/);
    expect(await bytes('a')).toBe('a 3');
  });

  it.each(['crash', 'exit', 'memory'])(
    'fails a job that breaks it alone, and draws anew what it had drawn of others (%s)',
    async (deed) => {
      const { bytes, started } = start();
      const others = [bytes('of 3 a', '10.0.0.2'), bytes('of 2 b', '10.0.0.3')];
      const [failed, ...drawn] = await Promise.all([bytes(deed, '10.0.0.1'), ...others]);
      expect(failed).not.toMatch(/^\w+ \d/);
      expect(drawn).toEqual(['a 1 3 5', 'b 2 4']);
      expect(started()).toBe(2);
    },
  );

  it('does not draw what nobody waits for any more', async () => {
    const { bytes, paper } = start();
    const gone = paper('gone', () => false);
    expect(await bytes('a')).toBe('a 1');
    expect(await gone).toMatch(/nobody waits/);
    expect(await bytes('b')).toBe('b 2');
  });

  it('is ended after ten minutes without a job, and started again by the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { bytes, started } = start();
    expect(await bytes('a')).toBe('a 1');
    vi.advanceTimersByTime(TEN_MINUTES - 1);
    expect(await bytes('b')).toBe('b 2');
    vi.advanceTimersByTime(TEN_MINUTES - 1);
    expect(await bytes('c')).toBe('c 3');
    vi.advanceTimersByTime(TEN_MINUTES);
    expect(await bytes('d')).toBe('d 1');
    expect(started()).toBe(2);
  });

  it('is ended where a job takes too long, which is refused as too large; the next one gets a new thread', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { bytes, started } = start();
    expect(await bytes('a')).toBe('a 1');
    const jobs = [bytes('hang'), bytes('a')];
    vi.advanceTimersByTime(30_000);
    expect(await Promise.all(jobs)).toEqual(['render_too_large: the job takes over 30 s to draw', 'a 1']);
    expect(started()).toBe(2);
  });

  it.each([
    ['breaks', 'crash', /^the thread is broken$/],
    ['ends', 'exit', /^the drawing thread ended with 3$/],
    ['comes to the end of its memory', 'memory', /^render_alloc_failed/],
  ])('that %s fails its job alone', async (_, deed, message) => {
    const { bytes, errors } = start();
    const [failed, next] = await Promise.all([bytes(deed), bytes('a')]);
    expect(failed).toMatch(message);
    expect(next).toBe('a 1');
    expect(errors).toEqual([]);
  });

  // Flags are those of the process, and of the tests that it runs next.
  afterAll(() => void asBuilt());

  it.each(['a', 'crash'])(
    'starts while V8 has no other flags than Node was built with; after its first job they are those of a lean heap: %s',
    async (deed) => {
      const { bytes } = start();
      leanHeap();
      asBuilt();
      const built = cachedDataVersionTag();
      leanHeap();
      const lean = cachedDataVersionTag();
      const said = bytes(deed);
      expect(cachedDataVersionTag()).toBe(built);
      await said;
      expect(cachedDataVersionTag()).toBe(lean);
    },
  );

  it('is not started where memory is short', async () => {
    const { bytes, host, started } = start();
    host.memory = 10_000_000;
    expect(await bytes('a')).toBe('render_alloc_failed');
    expect(started()).toBe(0);
    host.memory = 100_000_000;
    expect(await bytes('a')).toBe('a 1');
  });

  it('is ended where memory is short and it draws nothing for a printer, and the memory is looked at again', async () => {
    const { bytes, host, paper, renderer, started } = start();
    const freed = () => process.once('worker', (thread) => thread.once('exit', () => (host.memory = 100_000_000)));
    for (const as of ['bytes', 'paper'] as const) {
      freed();
      host.memory = 100_000_000;
      expect(await bytes('a')).toBe('a 1');
      host.memory = 100_000;
      expect(await Promise.all([renderer.hasMemory(as), renderer.hasMemory(as)])).toEqual([true, true]);
    }
    freed();
    const look = paper('hang');
    host.memory = 100_000;
    expect(await renderer.hasMemory('paper')).toBe(false);
    expect(await renderer.hasMemory('bytes')).toBe(true);
    expect(await look).toMatch(/^render_alloc_failed/);
    expect(started()).toBe(3);
  });

  it('that draws for a printer is not ended, and what comes then is refused', async () => {
    const { bytes, host, renderer } = start();
    const job = bytes('slow');
    host.memory = 100_000;
    expect(await renderer.hasMemory('bytes')).toBe(false);
    expect(await job).toBe('slow 1');
  });

  it('draws a paper only where a thread and a job for a printer still find room', async () => {
    const { bytes, host, renderer } = start();
    host.memory = 48 * 1024 * 1024;
    expect(await renderer.hasMemory('bytes')).toBe(true);
    expect(await renderer.hasMemory('paper')).toBe(false);
    expect(await bytes('a')).toBe('a 1');
    expect(await renderer.hasMemory('paper')).toBe(true);
  });

  it('that cannot use its faces says so once', async () => {
    const { bytes, errors } = start();
    expect(await Promise.all([bytes('fault'), bytes('fault')])).toEqual(['fault 1', 'fault 2']);
    expect(errors).toEqual([{ error: 'a face is damaged' }]);
  });

  it('has at most 64 jobs waiting; the next one is refused', async () => {
    const { bytes } = start();
    const jobs = Array.from({ length: 66 }, () => bytes('a'));
    expect(await jobs[65]).toBe('render_alloc_failed: 64 jobs wait to be drawn');
    expect(await Promise.all(jobs.slice(0, 65))).toEqual(Array.from({ length: 65 }, (_, n) => `a ${n + 1}`));
  });

  it('has at most 16 previews under way, 8 of one address, and takes none of the places of receipts', async () => {
    const { bytes, paper } = start();
    const previews = Array.from({ length: 17 }, (_, n) => paper('a', () => true, `10.0.0.${n % 3}`));
    const ninth = paper('a', () => true, '10.0.0.0');
    const receipts = Array.from({ length: 64 }, () => bytes('a'));
    const busy = 'busy: 16 previews are drawn, or 8 of this address';
    expect([await previews[16], await ninth]).toEqual([busy, busy]);
    expect(
      (await Promise.all([...previews.slice(0, 16), ...receipts])).filter((said) => /^a \d+$/.test(said)),
    ).toHaveLength(80);
  });

  it('draws 8 previews of one address, and refuses the next one', async () => {
    const { paper } = start();
    const previews = Array.from({ length: 9 }, () => paper('a'));
    expect(await previews[8]).toBe('busy: 16 previews are drawn, or 8 of this address');
    expect(await Promise.all(previews.slice(0, 8))).toEqual(Array.from({ length: 8 }, (_, n) => `a ${n + 1}`));
  });

  it('ends with the node, and what it drew or was to draw is refused', async () => {
    const { bytes, renderer } = start();
    const ended = vi.fn();
    process.once('worker', (thread) => void thread.once('exit', ended));
    const jobs = [bytes('hang'), bytes('a')];
    await renderer.stop();
    expect(ended).toHaveBeenCalled();
    expect(await Promise.all([...jobs, bytes('late')])).toEqual(['restarting', 'restarting', 'restarting']);
  });
});
