/** Versions of images. */

/**
 * Whether `version` has a higher precedence than `than` (Semantic Versioning 2.0.0, 11): by its three numbers, then a
 * release before its pre-releases, and those by their identifiers. Build metadata (`+…`) does not count. A text that
 * does not begin with three numbers counts as 0.0.0.
 */
export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [parsed(version), parsed(than)];
  const order = compare(ours.numbers, theirs.numbers);
  if (order !== 0) return order > 0;
  if (ours.pre.length === 0 || theirs.pre.length === 0) return ours.pre.length < theirs.pre.length;
  return compare(ours.pre, theirs.pre) > 0;
}

/** An identifier of a pre-release; a number if it has digits alone. */
type Identifier = number | string;

function parsed(version: string): { readonly numbers: Identifier[]; readonly pre: Identifier[] } {
  const [, numbers = '0.0.0', pre] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?/.exec(version) ?? [];
  const identifiers = (text: string) => text.split('.').map((each) => (/^\d+$/.test(each) ? Number(each) : each));
  return { numbers: identifiers(numbers), pre: pre === undefined ? [] : identifiers(pre) };
}

/** Over, under or equal to 0. A number is lower than a text, and fewer identifiers than more. */
function compare(ours: readonly Identifier[], theirs: readonly Identifier[]): number {
  for (const [at, our] of ours.entries()) {
    const their = theirs[at];
    if (their === undefined) return 1;
    if (our === their) continue;
    if (typeof our === typeof their) return our > their ? 1 : -1;
    return typeof our === 'string' ? 1 : -1;
  }
  return ours.length - theirs.length;
}
