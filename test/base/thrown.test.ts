/** What was thrown is told, whatever it is. */
import { expect, it } from 'vitest';
import { messageOf, stackOf } from '../../runtime/base/thrown.ts';

const refuse = (): never => {
  throw new Error('do not look');
};
const NUMBERED = Object.assign(new Error('x'), { message: 7, stack: undefined });

it.each([
  [new Error('no paper'), 'no paper'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [Symbol('coin'), 'Symbol(coin)'],
  [NUMBERED, '7'],
  [Object.create(null), 'something that cannot be read was thrown'],
  [{ toString: refuse }, 'something that cannot be read was thrown'],
  [new Proxy({}, { get: refuse, getPrototypeOf: refuse }), 'something that cannot be read was thrown'],
])('a thrown value has a text, also one that throws where it is read (case %#)', (thrown, text) => {
  expect(messageOf(thrown)).toBe(text);
  expect(stackOf(thrown)).toContain(text);
});
