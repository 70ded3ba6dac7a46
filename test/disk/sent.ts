/** What a service reads on its standard input, from memory. */
import type { Input } from '../../runtime/disk/system/install.ts';

/** A connection that ends after these bytes. */
export function sent(bytes: Buffer): Input {
  let at = 0;
  return {
    async *bytes(count) {
      for (const end = at + count; at < end; ) {
        if (at >= bytes.length) throw new Error('the connection ended');
        const chunk = bytes.subarray(at, Math.min(end, at + 1000));
        at += chunk.length;
        yield chunk;
      }
    },
    async line() {
      const end = bytes.indexOf('\n', at);
      if (end < 0) throw new Error('the connection ended');
      const line = bytes.toString('latin1', at, end);
      at = end + 1;
      return line;
    },
  };
}
