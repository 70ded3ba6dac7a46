/** What an IPP printer says of itself (RFC 8011, 5.4; PWG 5100.14, IPP Everywhere 1.1; AirPrint's `urf-supported`). */
import {
  boolean,
  charset,
  constantAttributes,
  date,
  dotsPerInch,
  enumerated,
  type IppAttributes,
  integer,
  keyword,
  language,
  mimeType,
  nameOf,
  octets,
  range,
  text,
  UNKNOWN_VALUE,
  uri,
  type Written,
} from '../../codecs/ipp.ts';
import { FORMATS, PICTURE_BYTES } from './content.ts';
import type { Head } from './document.ts';
import { mediaAttributes } from './media.ts';
import { DOCUMENT_SECONDS, type Queue } from './queue.ts';

/** Operations, by number (RFC 8011, 5.4.15; PWG 5100.11 and 5100.13). */
export const OPERATION = {
  ...{ printJob: 0x02, validateJob: 0x04, createJob: 0x05, sendDocument: 0x06, cancelJob: 0x08 },
  ...{ getJobAttributes: 0x09, getJobs: 0x0a, getPrinterAttributes: 0x0b },
  ...{ cancelMyJobs: 0x39, closeJob: 0x3b, identifyPrinter: 0x3c },
} as const;

/** finishings (RFC 8011, 5.2.6; PWG 5100.1): nothing, trimmed, trimmed behind each page. */
export const FINISHING = { none: 3, trim: 11, trimAfterPages: 60 } as const;
/** Most copies of a job. */
export const COPIES = 99;
/** What a job may choose, by keyword: the default first (RFC 8011, 5.2; PWG 5100.7, 5100.13). */
const KEYWORDS = {
  'job-sheets': ['none'],
  // One job has one document, of which each copy is printed whole (RFC 8011, 5.2.4).
  'multiple-document-handling': ['separate-documents-collated-copies', 'single-document', 'single-document-new-sheet'],
  // With face-up, CUPS sends the last page first: a pile would then be in order, a roll is not.
  'output-bin': ['face-down'],
  'print-color-mode': ['monochrome', 'auto', 'bi-level'],
  'print-content-optimize': ['auto', 'graphic', 'photo', 'text', 'text-and-graphic'],
  'print-rendering-intent': ['auto'],
  'print-scaling': ['auto', 'auto-fit', 'fit'],
  sides: ['one-sided'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** The same, by number. */
const ENUMS = {
  // CUPS asks for none with every job of which nobody chose another: it means the default.
  finishings: [FINISHING.trim, FINISHING.none, FINISHING.trimAfterPages],
  'orientation-requested': [3],
  'print-quality': [4],
};
const ALL = { ...KEYWORDS, ...ENUMS };
/** Attributes of a job that are understood; others come back as unsupported. */
export const JOB_TEMPLATE: readonly string[] = [
  ...Object.keys(ALL),
  ...['copies', 'ipp-attribute-fidelity', 'job-name', 'job-priority', 'media', 'media-col'],
  ...['page-ranges', 'printer-resolution'],
];
/** What the owner of a job alone is told of it (IPP Privacy Attributes v1.0: `job-privacy-attributes`). */
export const PRIVATE: readonly string[] = ['job-name', 'job-originating-user-name'];
/** The values that a job may choose from, by attribute. */
export const CHOICES: ReadonlyMap<string, readonly (string | number)[]> = new Map(Object.entries(ALL));
/** Pixels that the frame header of a JPEG can say (T.81, B.2.2). */
const MOST_SIDE = 65_535;

/** Name, make and place of the printer. */
export interface PrinterIdentity {
  readonly uri: string;
  readonly name: string;
  readonly info: string;
  readonly location: string;
  readonly make: string;
  readonly model: string;
  readonly uuid: string;
  /** Version of the software of the node. */
  readonly version: string;
  /** The page of the node. */
  readonly page: string;
  readonly icon: string;
}

/** Seconds since the node started, at least 1: `printer-up-time`, and what other times count in. */
export const upTime = (startedAt: number): number => Math.floor((performance.now() - startedAt) / 1000) + 1;
/** When that was in seconds since the node started, at least 1. */
export const upTimeOf = (startedAt: number, at: Date): number =>
  Math.max(1, upTime(startedAt) - Math.floor((Date.now() - at.getTime()) / 1000));

/** All attributes but those of media, in the two groups that a client may ask for (RFC 8011, 4.2.5.1). */
export function printerAttributes(
  identity: PrinterIdentity,
  queue: Queue,
  head: Head,
  startedAt: number,
): { readonly template: IppAttributes; readonly description: IppAttributes } {
  const { template, able } = ofHead(head);
  return {
    template,
    description: { ...identityAttributes(identity), ...stateAttributes(queue, startedAt), ...able },
  };
}

type OfHead = Readonly<Record<'template' | 'able', IppAttributes>>;
const heads = new Map<string, OfHead>();
/** Kinds of printers that are remembered; a node has few. */
const MOST_HEADS = 8;

/** What is the same as long as the printer is. */
function ofHead(head: Head): OfHead {
  const key = JSON.stringify(head);
  const known = heads.get(key);
  if (known !== undefined) return known;
  const template = constantAttributes({ ...templateAttributes(head), ...mediaAttributes(head) });
  const made = { template, able: constantAttributes(abilities(head)) };
  if (heads.size >= MOST_HEADS) heads.clear();
  heads.set(key, made);
  return made;
}

/** `…-default` and `…-supported` of each. */
const choices = <T>(
  write: (...values: readonly T[]) => Written,
  all: Readonly<Record<string, readonly T[]>>,
): IppAttributes =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, values]) => [
      [`${name}-default`, write(...values.slice(0, 1))],
      [`${name}-supported`, write(...values)],
    ]),
  );

const templateAttributes = ({ dpi }: Head): IppAttributes => ({
  ...choices(keyword, KEYWORDS),
  ...choices(enumerated, ENUMS),
  ...choices(dotsPerInch, { 'printer-resolution': [dpi] }),
  'copies-default': integer(1),
  'copies-supported': range({ low: 1, high: COPIES }),
  'overrides-supported': keyword('document-number', 'pages'),
  'page-ranges-supported': boolean(true),
});

const identityAttributes = ({
  name,
  info,
  location,
  make,
  model,
  uuid,
  version,
  page,
  icon,
  ...identity
}: PrinterIdentity) =>
  ({
    'printer-uri-supported': uri(identity.uri),
    'uri-authentication-supported': keyword('none'),
    'uri-security-supported': keyword('none'),
    'printer-name': nameOf(name),
    'printer-dns-sd-name': nameOf(name),
    'printer-info': text(info),
    'printer-location': text(location),
    'printer-make-and-model': text(`${make} ${model}`),
    'printer-device-id': text(`MFG:${make};MDL:${model};CMD:PWGRaster,AppleRaster,URF,JPEG;`),
    'printer-uuid': uri(uuid),
    // Windows asks for both by name (PWG 5110.1).
    'printer-firmware-name': nameOf('tillnode'),
    'printer-firmware-string-version': text(version),
    'printer-more-info': uri(page),
    'printer-supply-info-uri': uri(page),
    'printer-icons': uri(icon),
    'printer-geo-location': UNKNOWN_VALUE,
    'printer-organization': text(''),
    'printer-organizational-unit': text(''),
  }) satisfies IppAttributes;

function stateAttributes(queue: Queue, startedAt: number): IppAttributes {
  const { stateSince, reasons } = queue;
  const started = new Date(Date.now() - (performance.now() - startedAt));
  return {
    'printer-state': enumerated(queue.state),
    'printer-state-reasons': keyword(...reasons),
    'printer-state-message': text(reasons.join(' ')),
    'printer-is-accepting-jobs': boolean(queue.accepting),
    'printer-up-time': integer(upTime(startedAt)),
    'printer-current-time': date(new Date()),
    'printer-state-change-time': integer(upTimeOf(startedAt, stateSince)),
    'printer-state-change-date-time': date(stateSince),
    'printer-config-change-time': integer(1),
    'printer-config-change-date-time': date(started),
    'queued-job-count': integer(queue.openJobs.length),
    ...supplyOf(reasons),
  };
}

/** The roll (PWG 5100.13; RFC 3805 prtMarkerSupplies): level 0 without paper, else -2, unknown, or -3, some is left. */
function supplyOf(reasons: readonly string[]): IppAttributes {
  const level = reasons.includes('media-empty') ? 0 : reasons.includes('none') ? -3 : -2;
  const fixed = 'index=1;class=supplyThatIsConsumed;type=other;unit=percent;maxcapacity=100';
  return {
    'printer-supply': octets(`${fixed};level=${level};colorantname=none;`),
    'printer-supply-description': text('Paper roll'),
  };
}

/** What URF may be, as AirPrint says it. */
export const urfOf = ({ dpi }: Pick<Head, 'dpi'>): readonly string[] =>
  `V1.4 CP99 W8 SRGB24 RS${dpi} DM1 PQ4 MT1 IS1 OB9`.split(' ');

const abilities = ({ dpi }: Head): IppAttributes => ({
  'charset-configured': charset('utf-8'),
  'charset-supported': charset('utf-8'),
  'natural-language-configured': language('en'),
  'generated-natural-language-supported': language('en'),
  'compression-supported': keyword('none', 'gzip', 'deflate'),
  'document-format-default': mimeType('application/octet-stream'),
  'document-format-preferred': mimeType('image/urf'),
  'document-format-supported': mimeType(...FORMATS),
  'document-password-supported': integer(0),
  'color-supported': boolean(false),
  'identify-actions-default': keyword('display'),
  'identify-actions-supported': keyword('display'),
  'ipp-features-supported': keyword('ipp-everywhere', 'airprint-1.8'),
  'ipp-versions-supported': keyword('1.1', '2.0'),
  'job-creation-attributes-supported': keyword(...JOB_TEMPLATE),
  'job-ids-supported': boolean(true),
  'job-privacy-attributes': keyword(...PRIVATE),
  'job-privacy-scope': keyword('owner'),
  'jpeg-features-supported': keyword('none'),
  'jpeg-k-octets-supported': range({ low: 0, high: PICTURE_BYTES / 1024 }),
  'jpeg-x-dimension-supported': range({ low: 0, high: MOST_SIDE }),
  'jpeg-y-dimension-supported': range({ low: 1, high: MOST_SIDE }),
  'multiple-document-jobs-supported': boolean(false),
  'multiple-operation-time-out': integer(DOCUMENT_SECONDS),
  'multiple-operation-time-out-action': keyword('abort-job'),
  'operations-supported': enumerated(...Object.values(OPERATION)),
  'pages-per-minute': integer(30),
  'pdl-override-supported': keyword('attempted'),
  'preferred-attributes-supported': boolean(false),
  'printer-get-attributes-supported': keyword('document-format'),
  'printer-kind': keyword('receipt', 'roll'),
  'pwg-raster-document-resolution-supported': dotsPerInch(dpi),
  'pwg-raster-document-sheet-back': keyword('normal'),
  'pwg-raster-document-type-supported': keyword('black_1', 'sgray_8', 'srgb_8'),
  'urf-supported': keyword(...urfOf({ dpi })),
  'which-jobs-supported': keyword('completed', 'not-completed', 'all'),
});
