/** Whatever the contract can give has a sentence and a paragraph, in every language. */
import { describe, expect, it } from 'vitest';
import { ScaleBlock } from '../../../plugins/scale/contract.ts';
import { tablesIn } from '../../../runtime/assembly/page/word-files.ts';
import { LANGUAGES } from '../../../runtime/base/language.ts';
import { compose } from '../../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../../runtime/kernel/core-errors.ts';
import { RecentJob } from '../../../runtime/services/jobs/contract.ts';
import { Condition, NodeStatus } from '../../../runtime/services/status/contract.ts';
import { TOPICS } from '../../../runtime/services/trouble/topics.ts';
import { twinPlugins } from '../../plugins.ts';
import { REASONS } from '../../reasons.ts';
import errors from '../../spec/errors.json' with { type: 'json' };

const choices = ({ anyOf }: { readonly anyOf: readonly { readonly const?: unknown }[] }): string[] =>
  anyOf.flatMap(({ const: code }) => (typeof code === 'string' ? [code] : []));

const { errors: rows } = compose(twinPlugins, CORE_ERRORS);
const CODES = new Set([
  ...rows.keys(),
  ...[...errors.node, ...errors.twin, ...errors.additions].map(({ code }) => code),
  ...choices(Condition),
  ...choices(NodeStatus.properties.usb.properties.state),
  ...choices(RecentJob.properties.outcome),
  ...choices(ScaleBlock.properties.status),
  ...choices(ScaleBlock.properties.fault),
  ...REASONS,
  ...['garbled', 'unreachable', 'bad_answer'],
]);
CODES.delete('ok');

/** Words of this language alone: English in their place would be none. */
const wordsOf = (folder: string, language: string) => tablesIn(folder)[language] ?? {};

const sentence = (language: string, code: string): string | undefined => {
  const own = wordsOf('runtime/services/trouble/words', language);
  const page = wordsOf('runtime/page/words', language);
  const second = code.startsWith('second_') ? page['reason_second'] : undefined;
  return own[`says_${code}`] ?? page[`fault_${code}`] ?? page[`reason_${code}`] ?? second;
};

describe('the page "It does not print"', () => {
  it('has each code once', () => {
    const all = Object.values(TOPICS).flat();
    expect(all.length).toBe(new Set(all).size);
    expect([...CODES].filter((code) => !all.some((each) => each === code))).toEqual([]);
  });

  it.each(Object.keys(LANGUAGES))('says each of them, and what to do, in this language: %s', (language) => {
    const table = wordsOf('runtime/services/trouble/words', language);
    const silent = Object.entries(TOPICS).flatMap(([topic, codes]) => [
      ...(table[`do_${topic}`] ? [] : [topic]),
      ...codes.filter((code) => !sentence(language, code)),
    ]);
    expect(silent).toEqual([]);
  });
});
