/** Lines of JSON at the end of a file, which a crash may cut off. */
import { fsyncSync } from 'node:fs';
import { writeAllNow } from '../base/durable.ts';

/** A line feed on both sides: what a write that failed left before it spoils no line but its own. */
const LF = Buffer.from('\n');

/** Writes lines of JSON one after the other, so that only one of them is in memory twice, and has the disk take them. Returns how many bytes. */
export function writeLines(descriptor: number, lines: readonly object[]): number {
  let length = 0;
  for (const line of lines) {
    for (const bytes of [LF, Buffer.from(JSON.stringify(line)), LF]) {
      writeAllNow(descriptor, bytes);
      length += bytes.length;
    }
  }
  fsyncSync(descriptor);
  return length;
}
