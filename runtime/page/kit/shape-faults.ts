/** What is wrong with the shape of a value, and with a text that is no JSON, in words of the page. */
import type { JsonFault } from '../../base/json-places.ts';
import { type ShapeFault, shapeFaultIn } from '../../base/shape-faults.ts';
import { say } from './say.ts';

/** What is wrong with a shape, in words of the page. */
export function shapeFault({ name, places }: ShapeFault): string {
  const { type = '', choices = '' } = places;
  return say(`shape_${name}`, {
    // Which places there are is a matter of the sentence.
    ...(places as Required<typeof places>),
    type: say.find(`type_${type}`) ?? type,
    choices: choices.replaceAll(' or ', ', '),
  });
}

/** Why a text is no JSON, in words of the page. */
export const jsonFault = ({ name, token, end }: JsonFault): string =>
  say(`json_${name}`, { token: token ?? say('json_end'), end });

/** What a detail of the node says of a shape: at which place (keys and indexes, joined with `/`), and in words of the page. */
export function shapeTold(detail = ''): { readonly path: string; readonly words: string } | undefined {
  for (const { index } of detail.matchAll(/^|(?<=: )/g)) {
    const fault = shapeFaultIn(detail.slice(index));
    if (fault !== undefined) return { path: detail.slice(0, Math.max(0, index - 2)), words: shapeFault(fault) };
  }
  return undefined;
}

/** The detail of a refusal, in words of the page where it tells of a shape. */
export function detailInWords(detail: string): string {
  const told = shapeTold(detail);
  if (told === undefined) return detail;
  return told.path === '' ? told.words : `${told.path}: ${told.words}`;
}
