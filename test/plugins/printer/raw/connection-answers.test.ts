/** One connection of port 9100 that asks the printer: how long its end waits for the answers. */
import { describe, expect, it } from 'vitest';
import { LINE, PULSE } from '../jobs/cable.ts';
import { hex, startOutlet } from './wire.ts';

const MODEL = Buffer.from('\x1dIC', 'latin1');
const PAPER = Buffer.from('\x1dr\x01', 'latin1');
/** Questions that no printer answers: GS I and GS r of no known n, GS ( E of another function. */
const NO_QUESTIONS = Buffer.from('1d4920 1d7209 1d28450300010249'.replaceAll(' ', ''), 'hex');

describe('the end of a connection', () => {
  it('waits for nothing where nothing was asked', async () => {
    const { dial } = await startOutlet();
    for (const job of [LINE, NO_QUESTIONS, Buffer.concat([LINE, PULSE])]) {
      const { wire, send, end } = dial();
      await send(job);
      await end();
      expect(wire.did).toEqual(['end']);
    }
  });

  it('waits for the last answer, and not for more', async () => {
    const { cable, dial } = await startOutlet();
    const { wire, send, end } = dial();
    await send(Buffer.concat([MODEL, PAPER, LINE]));
    await end();
    expect([cable.outlet.answers.take('byte'), wire.did]).toEqual([true, []]);
    expect(cable.outlet.answers.take('info')).toBe(true);
    await send('');
    expect([wire.did, cable.outlet.heldBy]).toEqual([['end'], undefined]);
  });

  it('waits 200 ms from the last byte, in which a drawer kick goes out, and what comes later is for nobody', async () => {
    const { cable, pass, dial } = await startOutlet();
    const { wire, send, end } = dial();
    await send(Buffer.concat([LINE, MODEL]));
    await pass(150);
    await end();
    const next = dial('192.0.2.8');
    await next.send(Buffer.concat([LINE, PAPER]));
    await cable.outlet.kick(PULSE, 1000);
    await pass(49);
    expect([cable.sent(), wire.did]).toEqual([hex(Buffer.concat([LINE, MODEL, PULSE])), []]);
    await pass(1);
    await next.send('');
    expect([wire.did, cable.sent().endsWith(hex(Buffer.concat([LINE, PAPER])))]).toEqual([['end'], true]);
    const { answers } = cable.outlet;
    expect([answers.take('info'), answers.take('byte'), answers.take('info')]).toEqual([false, true, true]);
  });

  it('waits for no printer that was silent before, until it answers again', async () => {
    const { cable, pass, dial } = await startOutlet();
    const ask = async () => {
      const one = dial();
      await one.send(MODEL);
      await one.end();
      return one.wire.did;
    };
    const first = await ask();
    expect(first).toEqual([]);
    await pass(200);
    expect([first, await ask()]).toEqual([['end'], ['end']]);
    expect(cable.outlet.answers.take('info')).toBe(false);
    expect(await ask()).toEqual([]);
  });

  it.each([
    ['a client that has gone', 'port9100'],
    ['raw commands of the API', 'raw'],
  ] as const)('of %s leaves its answers to nobody', async (_, kind) => {
    const { cable, dial } = await startOutlet();
    const asking = await cable.begun(kind, MODEL);
    await asking.end(false);
    await dial().send(LINE);
    const { answers } = cable.outlet;
    expect([answers.take('info'), answers.take('info')]).toEqual([false, true]);
  });

  it('gives late answers up after a while, as the printer may have none', async () => {
    const { cable, pass, dial } = await startOutlet();
    const { send, go } = dial();
    await send(PAPER);
    await go();
    await pass(5000);
    await dial().send(PAPER);
    expect(cable.outlet.answers.take('byte')).toBe(true);
  });

  it.each([
    ['of the same question', MODEL],
    ['of another one, which this printer does not answer', Buffer.from('1d6732001400', 'hex')],
  ])(
    'gives each late answer up by its own time, also while others ask each second: behind one %s',
    async (_, unanswered) => {
      const { cable, pass, dial } = await startOutlet();
      const { answers } = cable.outlet;
      const ask = async (question: Uint8Array) => {
        const { wire, send, end } = dial();
        await send(question);
        return { wire, end };
      };
      for (const question of [MODEL, unanswered, MODEL]) {
        await (await ask(question)).end();
        await pass(1000);
      }
      const got: boolean[] = [];
      for (let second = 0; second < 8; second += 1) {
        const { wire, end } = await ask(MODEL);
        got.push(answers.take('info'));
        await end();
        await pass(1000);
        expect(wire.did).toEqual(['end']);
      }
      expect(got).toEqual([false, false, false, false, true, true, true, true]);
    },
  );

  it('is waited for again a while after a printer was silent', async () => {
    const { cable, pass, dial } = await startOutlet();
    const first = dial();
    await first.send(MODEL);
    await first.end();
    await pass(200);
    await pass(5000);
    const { wire, send, end } = dial();
    await send(MODEL);
    await end();
    expect([first.wire.did, wire.did, cable.outlet.answers.take('info')]).toEqual([['end'], [], true]);
  });

  it('passes an echo of GS ( H on to a client that asked for it, and none of the node', async () => {
    const { cable, dial } = await startOutlet();
    await dial().send(Buffer.from('1d284806003030 31323334'.replaceAll(' ', ''), 'hex'));
    const { answers } = cable.outlet;
    expect([answers.take('processId'), answers.take('processId')]).toEqual([true, false]);
  });
});

describe('a connection that lets others in', () => {
  it('has given the printer time for its answers by then', async () => {
    const { cable, pass, dial } = await startOutlet({ idleTimeoutSeconds: 1 });
    const { wire, send } = dial();
    await send(MODEL);
    await pass(1000);
    expect([cable.outlet.heldBy, wire.did, cable.outlet.answers.take('info')]).toEqual([undefined, [], false]);
  });
});
