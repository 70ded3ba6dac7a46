/** The services of the node, their instance name and their TXT values. Pure functions. */
import profiles from '../../../recipes/profiles.json' with { type: 'json' };
import type { CustomProfile, ProfileRow } from './contract.ts';

/** A DNS label (RFC 1035, 2.3.4) and a TXT string with its length byte (RFC 6763, 6.1), in bytes. */
const LABEL_BYTES = 63;
const TXT_BYTES = 255;
const PDL = 'application/vnd.epson.escpos';
const HTTP_PORT = 80;

/** A service type with port and TXT strings (`key=value`), without its instance name. */
export interface Offer {
  /** For example `_http._tcp`. */
  readonly type: string;
  readonly port: number;
  readonly txt: readonly string[];
}

/** All services and the name that they share. */
export interface Identity {
  /** The service instance name of every offer. */
  readonly instance: string;
  readonly offers: readonly Offer[];
}

/** What the identity is made from; a port is undefined while it is closed. */
export interface Presence {
  readonly profile: string;
  readonly customProfile: CustomProfile;
  readonly deviceId: string;
  /** The node's name as set by its owner, usually its place in the shop; undefined if it has none. */
  readonly note: string | undefined;
  /** The host name in use, with `.local`. */
  readonly hostName: string;
  readonly httpPort: number | undefined;
  readonly rawPort: number | undefined;
}

/** The longest beginning of `text` that has at most `bytes` bytes in UTF-8; never cuts a character. */
export function clip(text: string, bytes: number): string {
  let kept = text;
  while (Buffer.byteLength(kept) > bytes) kept = Array.from(kept).slice(0, -1).join('');
  return kept;
}

/**
 * A valid instance name: without control characters (RFC 6763, 4.1.1) and without dots, which dns-packet would encode
 * as the end of a label.
 */
const label = (text: string): string => clip(text.replaceAll(/\p{Cc}/gu, ' ').replaceAll('.', '-'), LABEL_BYTES);

/** The identity of a node: the printing services while port 9100 is open, `_http._tcp` while the HTTP front is. */
export function identityOf(presence: Presence): Identity {
  const { profile, customProfile, deviceId, httpPort, rawPort } = presence;
  const row = rowOf(profile, customProfile);
  const ty = row.ty ?? `${row.make} ${row.model}`;
  const offers: Offer[] = [];
  if (rawPort !== undefined) {
    offers.push({ type: '_pdl-datastream._tcp', port: rawPort, txt: printerTxt(row, ty, presence) });
    // The flagship type reserves the name among printers of all protocols; port 0, no keys: LPD is not offered.
    offers.push({ type: '_printer._tcp', port: 0, txt: [] });
  }
  if (httpPort !== undefined) offers.push({ type: '_http._tcp', port: httpPort, txt: ['path=/'] });
  const instance = profile === 'custom' ? ty : `${row.instance ?? ty} node-${deviceId}`;
  return { instance: label(instance), offers };
}

/**
 * The row of a profile; unknown names give `generic`. The configuration rules ensure that `custom` has make and model.
 */
const rowOf = (profile: string, custom: CustomProfile): ProfileRow =>
  profile === 'custom'
    ? (custom as ProfileRow)
    : ((profiles as Readonly<Record<string, ProfileRow>>)[profile] ?? profiles.generic);

/** The TXT strings of a printer, `txtvers` first (Bonjour Printing Specification 1.2.1, 9.2). */
function printerTxt(row: ProfileRow, ty: string, { note, deviceId, hostName, httpPort }: Presence): string[] {
  const product = row.product ?? row.model;
  const port = httpPort === HTTP_PORT ? '' : `:${httpPort}`;
  const values = {
    txtvers: '1',
    qtotal: '1',
    rp: '',
    ty,
    product: /^\(.*\)$/.test(product) ? product : `(${product})`,
    note: note ?? `node-${deviceId}`,
    priority: '50',
    pdl: row.pdl ?? PDL,
    ...(httpPort !== undefined && { adminurl: `http://${hostName}${port}/` }),
    usb_MFG: row.make,
    usb_MDL: row.model,
    usb_CMD: 'ESC/POS',
  };
  return Object.entries(values).map(([key, value]) => clip(`${key}=${value}`, TXT_BYTES));
}
