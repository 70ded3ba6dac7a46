/** Decides which reads are accepted (specification 2.8), with the four verdicts of the specification. */
import type { ScannerSettings, Verdict } from './contract.ts';
import type { ScannedRead } from './scanner.ts';

export interface Judgement {
  /** `unlisted`: the symbology is not on the list. This is no verdict of the API, so such a read leaves no record. */
  readonly verdict: Verdict | 'unlisted';
  /** Milliseconds from the end of the read before to the beginning of this one; -1 for the first. */
  readonly gapMs: number;
}

/** The policy of one scanner; it keeps the last accepted value and the end of the last read. */
export class Policy {
  #endedAt: number | undefined;
  /** The last accepted value, and when it was last read: a label that stays in view is one read. */
  #accepted: { readonly value: string; seenAt: number } | undefined;

  judge(read: ScannedRead, settings: ScannerSettings): Judgement {
    const gapMs = this.#endedAt === undefined ? -1 : Math.max(0, Math.round(read.startedAt - this.#endedAt));
    this.#endedAt = read.endedAt;
    const verdict = this.#verdict(read, gapMs, settings);
    if (verdict === 'accepted') this.#accepted = { value: read.value, seenAt: read.endedAt };
    return { verdict, gapMs };
  }

  #verdict(
    { value, symbology, startedAt, endedAt }: ScannedRead,
    gapMs: number,
    { minLength, symbologies, duplicateWindowMs, burstGapMs }: ScannerSettings,
  ): Judgement['verdict'] {
    if (value.length < minLength) return 'too_short';
    if (symbologies.length > 0 && !symbologies.includes(symbology)) return 'unlisted';
    const last = this.#accepted;
    if (last?.value === value && startedAt - last.seenAt < duplicateWindowMs) {
      last.seenAt = endedAt;
      return 'duplicate';
    }
    return gapMs >= 0 && gapMs < burstGapMs ? 'burst' : 'accepted';
  }
}
