/** Answers to the status requests of one client, and the client that reads none of them. */
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Questions } from '../../../../plugins/printer/raw/questions.ts';

/** A socket that says what was done to it, and a printer that is read when the test says so. */
function client({ reply = (n: number): number | undefined => 0x10 + n } = {}) {
  const sent: number[][] = [];
  const reads: (() => void)[] = [];
  const socket = {
    destroyed: false,
    writable: true,
    writableLength: 0,
    write: (bytes: Uint8Array) => sent.push([...bytes]),
    resetAndDestroy: () => {
      socket.destroyed = true;
      socket.writable = false;
    },
  };
  const reading = { pieces: 0, isEnough: true, go: () => false };
  const questions = new Questions(
    socket as unknown as Socket,
    {
      readForClient: () => new Promise<void>((resolve) => reads.push(resolve)),
      statusReply: reply,
    },
    reading,
  );
  const read = async () => {
    reads.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { questions, reading, socket, sent, reads, read };
}

describe('questions', () => {
  it('are answered together, by one reading, in their order; those that came meanwhile by the next one', async () => {
    const { questions, sent, reads, read } = client();
    expect(questions.answering).toBeUndefined();
    for (const n of [1, 4, 1]) questions.ask(n);
    expect([sent, reads.length]).toEqual([[], 1]);
    const answering = questions.answering;
    await read();
    expect(sent).toEqual([[0x11, 0x14, 0x11]]);
    await answering;
    expect(questions.answering).toBeUndefined();
    questions.ask(2);
    questions.ask(3);
    expect(reads.length).toBe(1);
    await read();
    expect(sent).toEqual([
      [0x11, 0x14, 0x11],
      [0x12, 0x13],
    ]);
  });

  it('that a printer does not answer get nothing; others beside them do', async () => {
    const { questions, sent, read } = client({ reply: (n) => (n === 2 ? 0x12 : undefined) });
    questions.ask(1);
    await read();
    expect(sent).toEqual([]);
    questions.ask(1);
    questions.ask(2);
    await read();
    expect(sent).toEqual([[0x12]]);
  });

  it('are answered behind what the client is still sending, each answer anew', async () => {
    const { questions, reading, sent, read } = client();
    reading.isEnough = false;
    for (const n of [1, 4]) {
      questions.ask(n);
      await read();
      expect(questions.holds).toBe(true);
      await questions.answering;
      expect([questions.holds, questions.answering]).toEqual([false, undefined]);
    }
    expect(sent).toEqual([[0x11], [0x14]]);
  });

  it('are none for who has gone, before or while the printer is read', async () => {
    const { questions, socket, sent, reads, read } = client();
    questions.ask(1);
    socket.resetAndDestroy();
    await read();
    questions.ask(1);
    expect([sent, reads.length]).toEqual([[], 0]);
  });

  it('are 4096 at most that wait, and one more ends the connection', () => {
    const { questions, socket } = client();
    for (let n = 0; n < 4096; n += 1) questions.ask(1);
    expect(socket.destroyed).toBe(false);
    questions.ask(1);
    expect(socket.destroyed).toBe(true);
  });

  it('may have 4096 bytes of answers unread, and more end the connection', () => {
    const { questions, socket, sent } = client();
    socket.writableLength = 4096;
    questions.answer(Uint8Array.of(1));
    expect([sent, socket.destroyed]).toEqual([[[1]], false]);
    socket.writableLength = 4097;
    questions.answer(Uint8Array.of(2));
    expect([sent, socket.destroyed]).toEqual([[[1]], true]);
  });
});
