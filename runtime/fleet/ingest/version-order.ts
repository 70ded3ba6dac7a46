/** Versions as text that a database can sort. */

/**
 * Sorts as Semantic Versioning 2.0.0 does by three numbers, a release behind its pre-releases; pre-releases of one version
 * among themselves by their text. A text without three numbers counts as 0.0.0.
 */
export function orderOf(version: string): string {
  const [, numbers = '0.0.0', pre] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?/.exec(version) ?? [];
  const padded = numbers.split('.').map((each) => each.padStart(9, '0'));
  return `${padded.join('.')}${pre === undefined ? '~' : `-${pre}`}`;
}
