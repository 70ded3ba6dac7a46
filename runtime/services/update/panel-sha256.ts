/**
 * SHA-256 (FIPS 180-4) of bytes as they come. Browsers have one of their own on secure origins alone, and a node is
 * on plain HTTP.
 */

const BLOCK_BYTES = 64;

/** The first 32 bits of the fractions of the square and cube roots of the first primes (5.3.3 and 4.2.2). */
const [START, ROUNDS] = (() => {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return [primes.slice(0, 8).map((n) => fraction(Math.sqrt(n))), primes.map((n) => fraction(Math.cbrt(n)))] as const;
})();

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

export class Sha256 {
  readonly #state = Int32Array.from(START);
  readonly #words = new Int32Array(64);
  readonly #rest = new Uint8Array(BLOCK_BYTES);
  #length = 0;

  update(bytes: Uint8Array): this {
    let at = 0;
    const held = this.#length % BLOCK_BYTES;
    this.#length += bytes.length;
    if (held > 0) {
      at = Math.min(BLOCK_BYTES - held, bytes.length);
      this.#rest.set(bytes.subarray(0, at), held);
      if (held + at < BLOCK_BYTES) return this;
      this.#block(this.#rest, 0);
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) this.#block(bytes, at);
    this.#rest.set(bytes.subarray(at));
    return this;
  }

  /** 64 lower-case hexadecimal digits. Ends it. */
  hex(): string {
    const bits = this.#length * 8;
    const zeros = (2 * BLOCK_BYTES - 9 - (this.#length % BLOCK_BYTES)) % BLOCK_BYTES;
    const padding = new Uint8Array(1 + zeros + 8);
    padding[0] = 0x80;
    const end = new DataView(padding.buffer, padding.length - 8);
    end.setUint32(0, Math.floor(bits / 2 ** 32));
    end.setUint32(4, bits >>> 0);
    this.update(padding);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /** One block (6.2.2). */
  #block(bytes: Uint8Array, at: number): void {
    const w = this.#words;
    for (let t = 0; t < 16; t++) {
      const i = at + t * 4;
      w[t] = (bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!;
    }
    for (let t = 16; t < 64; t++) {
      const [a, b] = [w[t - 15]!, w[t - 2]!];
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      w[t] = (w[t - 16]! + s0 + w[t - 7]! + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t]! + w[t]!) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    const state = this.#state;
    [a, b, c, d, e, f, g, h].forEach((word, index) => {
      state[index] = state[index]! + word;
    });
  }
}
