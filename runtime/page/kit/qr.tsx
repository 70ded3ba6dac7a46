/** A QR symbol (ISO/IEC 18004), black on white whatever the colours of the page are. */
import { encode } from 'uqr';

/** Modules of quiet zone on each side (ISO/IEC 18004, 9.1). */
const QUIET = 4;

/** The symbol for a text, with error correction level M; `label` is its alternative text. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET });
  const dark = data.flatMap((row, y) => row.map((on, x) => (on ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
      <path d={dark.join('')} />
    </svg>
  );
}
