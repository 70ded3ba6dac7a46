/** Text that is typed: what a certificate would not take is asked for again. */
import { describe, expect, it } from 'vitest';
import { answerFault } from '../../runtime/certify/answers.ts';

const question = { id: 'make', text: 'Who made it?' };

describe('a question for free text', () => {
  it.each(['EPSON', 'Zażółć & Co.', 'x'.repeat(126)])('takes %j', (answer) => {
    expect(answerFault(question, answer)).toBeUndefined();
  });

  it.each(['', ' ', 'x'.repeat(127), 'a|b', '`a`', '<b>', 'a\u0007', '得力'])('does not take %j', (answer) => {
    expect(answerFault(question, answer)).toMatch(/must be 1 to 126 characters/);
  });
});
