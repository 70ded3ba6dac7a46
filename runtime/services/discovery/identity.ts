/** What the node says of itself: the services it offers, their name and their TXT values. Pure. */
import profiles from '../../../recipes/profiles.json' with { type: 'json' };
import type { CustomProfile, ProfileRow } from './contract.ts';

/** A DNS label (RFC 1035, 2.3.4) and a TXT string with its length byte (RFC 6763, 6.1), in bytes. */
const LABEL_BYTES = 63;
const TXT_BYTES = 255;
const PDL = 'application/vnd.epson.escpos';
const HTTP_PORT = 80;

/** A service as it is offered, before it has a name that nobody else uses. */
export interface Offer {
  /** For example `_http._tcp`. */
  readonly type: string;
  readonly port: number;
  readonly txt: readonly string[];
}

export interface Identity {
  /** The service instance name of every offer. */
  readonly instance: string;
  readonly offers: readonly Offer[];
}

export interface Presence {
  readonly profile: string;
  readonly customProfile: CustomProfile;
  readonly deviceId: string;
  /** Where the node is, in the words of whoever put it there. */
  readonly note: string | undefined;
  /** The host name in use, with `.local`. */
  readonly hostName: string;
  readonly httpPort: number | undefined;
  readonly rawPort: number | undefined;
}

/** Cut to a number of bytes between characters. */
export function clip(text: string, bytes: number): string {
  let kept = text;
  while (Buffer.byteLength(kept) > bytes) kept = Array.from(kept).slice(0, -1).join('');
  return kept;
}

/**
 * A label for an instance name: no control characters (RFC 6763, 4.1.1), and no dot, which the packet library writes
 * as the end of a label.
 */
const label = (text: string): string => clip(text.replaceAll(/\p{Cc}/gu, ' ').replaceAll('.', '-'), LABEL_BYTES);

export function identityOf(presence: Presence): Identity {
  const { profile, customProfile, deviceId, httpPort, rawPort } = presence;
  const row = rowOf(profile, customProfile);
  const ty = row.ty ?? `${row.make} ${row.model}`;
  const offers: Offer[] = [];
  if (rawPort !== undefined) {
    offers.push({ type: '_pdl-datastream._tcp', port: rawPort, txt: printerTxt(row, ty, presence) });
    // The flagship type holds the name among printers of other protocols; port 0 and no keys: no LPD is offered.
    offers.push({ type: '_printer._tcp', port: 0, txt: [] });
  }
  if (httpPort !== undefined) offers.push({ type: '_http._tcp', port: httpPort, txt: ['path=/'] });
  const instance = profile === 'custom' ? ty : `${row.instance ?? ty} node-${deviceId}`;
  return { instance: label(instance), offers };
}

/** The rules of the configuration see to it that `custom` has a make and a model. */
const rowOf = (profile: string, custom: CustomProfile): ProfileRow =>
  profile === 'custom'
    ? (custom as ProfileRow)
    : ((profiles as Readonly<Record<string, ProfileRow>>)[profile] ?? profiles.generic);

/** Bonjour Printing Specification 1.2.1, 9.2; `txtvers` stands first. */
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
