/** Versions of images. */

/** By the three numbers (Semantic Versioning 2.0.0, 11). A release is newer than its own pre-releases. */
export function isNewer(version: string, than: string): boolean {
  const numbers = (text: string) => (/^\d+\.\d+\.\d+/.exec(text)?.[0] ?? '0.0.0').split('.').map(Number);
  const [ours, theirs] = [numbers(version), numbers(than)];
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at < 0 ? than.includes('-') : (ours[at] ?? 0) > (theirs[at] ?? 0);
}
