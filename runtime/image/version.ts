/** Versions of images. */

/**
 * Whether `version` is newer than `than`, by the three numbers (Semantic Versioning 2.0.0, 11). With equal numbers, any
 * version counts as newer than a pre-release: two pre-releases are not ordered.
 */
export function isNewer(version: string, than: string): boolean {
  const numbers = (text: string) => (/^\d+\.\d+\.\d+/.exec(text)?.[0] ?? '0.0.0').split('.').map(Number);
  const [ours, theirs] = [numbers(version), numbers(than)];
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at < 0 ? than.includes('-') : (ours[at] ?? 0) > (theirs[at] ?? 0);
}
