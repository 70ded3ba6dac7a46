/** The services of the node, their instance names and their TXT values. Pure functions. */
import profiles from '../../../recipes/profiles.json' with { type: 'json' };
import type { CustomProfile, PrinterService, ProfileRow } from './contract.ts';

/** A DNS label (RFC 1035, 2.3.4) and a TXT string with its length byte (RFC 6763, 6.1), in bytes. */
const LABEL_BYTES = 63;
const TXT_BYTES = 255;
const PDL = 'application/vnd.epson.escpos';
const HTTP_PORT = 80;
/** Longest endpoint id that an instance name holds, in bytes; leaves room for the profile and the node. */
const ENDPOINT_BYTES = 24;

/** A service type with port and TXT strings (`key=value`), without its instance name. */
export interface Offer {
  /** For example `_http._tcp`. */
  readonly type: string;
  readonly port: number;
  /** RFC 6763, 7.1, for example `_print`. */
  readonly subtypes?: readonly string[];
  readonly txt: readonly string[];
}

/** Services and the name that they share. */
export interface Identity {
  /** The service instance name of every offer. */
  readonly instance: string;
  readonly offers: readonly Offer[];
}

/** A printer endpoint and its port for raw printing; undefined while that is closed. */
export interface PrinterPort {
  readonly endpoint: string;
  readonly port: number | undefined;
  /** What else prints there. */
  readonly services?: readonly PrinterService[];
}

/** What the identities are made from; a port is undefined while it is closed. */
export interface Presence {
  readonly profile: string;
  readonly customProfile: CustomProfile;
  readonly deviceId: string;
  /** The node's name as set by its owner, usually its place in the shop; undefined if it has none. */
  readonly note: string | undefined;
  /** The host name in use, with `.local`. */
  readonly hostName: string;
  readonly httpPort: number | undefined;
  /** In the order of declaration. */
  readonly printers: readonly PrinterPort[];
}

/** Most names are nothing else, and the first use of a class of Unicode takes long. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** The longest beginning of `text` that has at most `bytes` bytes in UTF-8; never cuts a character. */
export function clip(text: string, bytes: number): string {
  let kept = text;
  while (Buffer.byteLength(kept) > bytes) kept = Array.from(kept).slice(0, -1).join('');
  return kept;
}

/**
 * A valid instance name, of which only `base` is cut: without control characters (RFC 6763, 4.1.1) and without dots,
 * which dns-packet would encode as the end of a label.
 */
function label(base: string, suffix: string): string {
  const [start, end] = [base, suffix].map((text) =>
    (PRINTABLE_ASCII.test(text) ? text : text.replaceAll(/\p{Cc}/gu, ' ')).replaceAll('.', '-'),
  );
  return clip(start ?? '', LABEL_BYTES - Buffer.byteLength(end ?? '')) + end;
}

/**
 * The identities of a node: first that of the node and its first printer, then one for each other printer, always as
 * many as the image has printers. The printing services are offered while the port of the printer is open, `_http._tcp`
 * while the HTTP front is.
 */
export function identitiesOf(presence: Presence): Identity[] {
  const { profile, customProfile, deviceId, httpPort, printers } = presence;
  const row = rowOf(profile, customProfile);
  const ty = row.ty ?? `${row.make} ${row.model}`;
  const page: Offer[] = httpPort === undefined ? [] : [{ type: '_http._tcp', port: httpPort, txt: ['path=/'] }];
  const [base, node] = profile === 'custom' ? [ty, ''] : [row.instance ?? ty, ` node-${deviceId}`];
  const first: PrinterPort = printers[0] ?? { endpoint: '', port: undefined };
  return [first, ...printers.slice(1)].map((printer, n) => {
    const { endpoint } = printer;
    const common = printerTxt(row, ty, presence, printers.length > 1 ? endpoint : undefined);
    const offers = [...printing(printer, common), ...(n === 0 ? page : [])];
    // The node's own name comes last and is never cut. The first printer is found by it alone, as in any other image.
    return { instance: label(base, `${n === 0 ? '' : ` ${shortName(endpoint, n)}`}${node}`), offers };
  });
}

/** The flagship type reserves the name among printers of all protocols; port 0, no keys: LPD is not offered. */
function printing({ port, services = [] }: PrinterPort, common: Readonly<Record<string, string>>): Offer[] {
  const offers: Offer[] = [
    ...(port === undefined ? [] : [{ type: '_pdl-datastream._tcp', port, txt: strings(common) }]),
    ...services.map((service) => ({ ...service, txt: strings({ ...common, ...service.txt }) })),
  ];
  return offers.length === 0 ? [] : [...offers, { type: '_printer._tcp', port: 0, txt: [] }];
}

const strings = (txt: Readonly<Record<string, string>>): string[] =>
  Object.entries(txt).map(([key, value]) => clip(`${key}=${value}`, TXT_BYTES));

/** The name of an endpoint in an instance name; the number of the printer where it would take too much of it. */
const shortName = (endpoint: string, n: number): string =>
  Buffer.byteLength(endpoint) <= ENDPOINT_BYTES ? endpoint : String(n + 1);

/**
 * The row of a profile; unknown names give `generic`. The configuration rules ensure that `custom` has make and model.
 */
export const rowOf = (profile: string, custom: CustomProfile): ProfileRow =>
  profile === 'custom'
    ? (custom as ProfileRow)
    : ((profiles as Readonly<Record<string, ProfileRow>>)[profile] ?? profiles.generic);

/**
 * The TXT keys of a printer, `txtvers` first (Bonjour Printing Specification 1.2.1, 9.2). With `endpoint` the note,
 * which says where the printer is, names it, too.
 */
function printerTxt(row: ProfileRow, ty: string, presence: Presence, endpoint: string | undefined) {
  const { note, deviceId, hostName, httpPort } = presence;
  const place = note ?? `node-${deviceId}`;
  const product = row.product ?? row.model;
  const port = httpPort === HTTP_PORT ? '' : `:${httpPort}`;
  return {
    txtvers: '1',
    qtotal: '1',
    rp: '',
    ty,
    product: /^\(.*\)$/.test(product) ? product : `(${product})`,
    note: endpoint === undefined ? place : `${place}, ${endpoint}`,
    priority: '50',
    pdl: row.pdl ?? PDL,
    ...(httpPort !== undefined && { adminurl: `http://${hostName}${port}/` }),
    usb_MFG: row.make,
    usb_MDL: row.model,
    usb_CMD: 'ESC/POS',
  };
}
