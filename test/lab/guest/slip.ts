/** The setup slip, read off the paper. */
import assert from 'node:assert/strict';

/** GS V, cut. */
export const CUT = '\x1dV';
/** GS ( k, function 180 of QR codes: store the data. Its length counts the three bytes cn, fn and m. */
const QR_STORE = '\x1d(k';
const QR_STORED = '1P0';

export interface Slip {
  readonly ssid: string;
  readonly password: string;
  readonly url: string;
}

/** Undefined until the whole of it is out. */
export function slipOn(paper: string): Slip | undefined {
  if (!paper.includes(CUT)) return undefined;
  const [, ssid, password] = /^WIFI:T:WPA;S:([^\\;]+);P:([^\\;]+);;$/.exec(qrCodeOn(paper)) ?? [];
  const [url] = /http:\/\/[\d.]+\//.exec(paper) ?? [];
  assert.ok(ssid && password && url, JSON.stringify(paper));
  return { ssid, password, url };
}

function qrCodeOn(paper: string): string {
  for (const command of paper.split(QR_STORE).slice(1)) {
    const length = command.charCodeAt(0) + 256 * command.charCodeAt(1);
    if (command.startsWith(QR_STORED, 2)) return command.slice(2 + QR_STORED.length, 2 + length);
  }
  return '';
}
