/** The inverse cosine transform of JPEG (ITU-T T.81, A.3.3) in whole numbers: every engine gives the same samples. */

/** 4096 times the cosine of k/16 of a half turn; the fourth is also the factor of the constant term. */
const [C1, C2, C3, C4, C5, C6, C7] = [4017, 3784, 3406, 2896, 2276, 1567, 799] as const;

const SIDE = 8;
const rows = new Int32Array(SIDE * SIDE);
const samples = new Int32Array(SIDE * SIDE);
const terms = new Int32Array(SIDE * SIDE);

/**
 * Writes the 64 samples of a block to `to` from `at` on, `stride` apart from row to row; the first `across` of the first
 * `down` rows. `coefficients` from `from` on and their quantization are in rows, not in the order of the zigzag.
 */
export function inverseDct(
  coefficients: Int16Array,
  from: number,
  quantization: Uint16Array,
  to: Uint8Array,
  at: number,
  stride: number,
  across: number,
  down: number,
): void {
  for (let index = 0; index < terms.length; index += 1)
    terms[index] = coefficients[from + index]! * quantization[index]!;
  // Sixteenths between the two: 2 * 4096 / 16 and 16 * 2 * 4096.
  for (let row = 0; row < SIDE; row += 1) transform(terms, SIDE * row, 1, rows, 9);
  for (let column = 0; column < SIDE; column += 1) transform(rows, column, SIDE, samples, 17);
  for (let y = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1) {
      const sample = samples[SIDE * y + x]! + 128;
      to[at + y * stride + x] = Math.max(0, Math.min(255, sample));
    }
}

/** One row or column: eight terms, `step` apart, to eight samples at the same places, divided by 2 to the power of `shift`. */
function transform(terms: Int32Array, first: number, step: number, to: Int32Array, shift: number): void {
  const half = 1 << (shift - 1);
  const x0 = terms[first]!;
  const x1 = terms[first + step]!;
  const x2 = terms[first + 2 * step]!;
  const x3 = terms[first + 3 * step]!;
  const x4 = terms[first + 4 * step]!;
  const x5 = terms[first + 5 * step]!;
  const x6 = terms[first + 6 * step]!;
  const x7 = terms[first + 7 * step]!;
  const sum = C4 * (x0 + x4) + half;
  const difference = C4 * (x0 - x4) + half;
  const outer = C2 * x2 + C6 * x6;
  const inner = C6 * x2 - C2 * x6;
  const odd0 = C1 * x1 + C3 * x3 + C5 * x5 + C7 * x7;
  const odd1 = C3 * x1 - C7 * x3 - C1 * x5 - C5 * x7;
  const odd2 = C5 * x1 - C1 * x3 + C7 * x5 + C3 * x7;
  const odd3 = C7 * x1 - C5 * x3 + C3 * x5 - C1 * x7;
  to[first] = (sum + outer + odd0) >> shift;
  to[first + step] = (difference + inner + odd1) >> shift;
  to[first + 2 * step] = (difference - inner + odd2) >> shift;
  to[first + 3 * step] = (sum - outer + odd3) >> shift;
  to[first + 4 * step] = (sum - outer - odd3) >> shift;
  to[first + 5 * step] = (difference - inner - odd2) >> shift;
  to[first + 6 * step] = (difference + inner - odd1) >> shift;
  to[first + 7 * step] = (sum + outer - odd0) >> shift;
}
