/** The printed notices of this room, as lines of a print command. */

interface SetupSlip {
  readonly ssid: string;
  readonly key: string;
  /** URL of the portal. */
  readonly url: string;
}

/**
 * Escapes the special characters of a Wi-Fi QR code by a backslash (WPA3 specification 3.4, 7.1; ZXing, "Barcode
 * Contents").
 */
const escaped = (text: string): string => text.replace(/[\\;,:"]/g, '\\$&');

/** The text of the QR code with which a phone joins the network. */
export const joinCode = (ssid: string, key: string): string => `WIFI:T:WPA;S:${escaped(ssid)};P:${escaped(key)};;`;

const text = (value: string, rest: object = {}) => ({ type: 'text', value, ...rest });
const center = { align: 'center' };

/** The lines that say how to join the setup network. */
export const slipLines = ({ ssid, key, url }: SetupSlip): readonly object[] => [
  text('Connect me to Wi-Fi', { ...center, bold: true, size: '2x' }),
  { type: 'feed' },
  text('1. Join this network: point the camera of a phone at the code, or type'),
  { type: 'feed' },
  text(ssid, { ...center, bold: true }),
  text(key, { ...center, bold: true }),
  { type: 'feed' },
  { type: 'barcode', symbology: 'qr', value: joinCode(ssid, key), align: 'center', size: 8 },
  { type: 'feed' },
  text('2. If no page opens by itself, open'),
  text(url, { ...center, bold: true }),
  text('and choose the network of the shop.'),
];

/** The lines that say where the node is; `url`: of its page. */
export const addressLines = (url: string): readonly object[] => [
  text('I am ready', { ...center, bold: true, size: '2x' }),
  { type: 'feed' },
  text('My page, for computers and phones on this network:'),
  text(url, { ...center, bold: true }),
  { type: 'feed' },
  { type: 'barcode', symbology: 'qr', value: url, align: 'center', size: 8 },
];
