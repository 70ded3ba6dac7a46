/** Documents of Epson's Server Direct Print ("Server Direct Print User's Manual", M00062909): jobs, results, status. */
import { createHash, type Hash } from 'node:crypto';
import { type EposResult, eposResponse } from './epos-results.ts';
import { type EposCommand, EposError, eposCommands } from './epos-xml.ts';
import { EPOS_DEVICE, EPOS_JOB_ID, EPOS_JOB_NAME, EposRemarks, elementsIn } from './epos-xml-values.ts';
import { elementsOf, escapeXml, textOfElement, type XmlElement, XmlError, XmlReader } from './xml-tree.ts';

/** One `ePOSPrint` of an answer. */
export interface SdpJob {
  /** `printjobid`; documents before version 2.00 have none. */
  readonly id?: string;
  /** `devid`. */
  readonly device: string;
  /** What it prints, or why it cannot be printed: the name of the element at fault, and words. */
  readonly commands: readonly EposCommand[] | { readonly fault: string };
  /** What of it is printed otherwise than asked for; undefined where nothing is. */
  readonly remarks?: string;
  /** SHA-256 of what the server asks to be printed, as it sent it: elements, attributes and text. Undefined where it is not whole. */
  readonly document?: string;
  /** The answer broke off in it: it may come again. */
  readonly isCut?: boolean;
}

/** The jobs of an answer, and the version that the answer about them has. */
export interface SdpJobs {
  readonly version: string;
  readonly jobs: readonly SdpJob[];
  /** Why it cannot be read from some place on. */
  readonly fault?: string | undefined;
}

/** Odoo hands out all that wait: after a day on which the printer was off, hundreds. */
const MOST_JOBS = 1000;
/** Ids of jobs that are reported where the answer cannot be read behind some place. */
const MOST_IDS = 4 * MOST_JOBS;
/** Characters of one job: some images as long as a job may be. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
const ID_ANYWHERE = /<printjobid>\s*([\w.-]{1,64})\s*<\/printjobid>/g;
/** Characters of what `ID_ANYWHERE` finds, with white space that nobody writes. */
const ID_CHARACTERS = 200;
/** What `Parameter` has. */
const PARAMETERS: ReadonlySet<string> = new Set(['devid', 'timeout', 'printjobid']);
const VERSION = /^[1-9]\.\d\d$/;
/** Versions of answers whose jobs have no ids, and of those that cannot be read. */
const [WITHOUT_IDS, WITH_IDS] = ['1.00', '2.00'];

/**
 * The jobs of an answer to `GetRequest`; none of an empty one, or of an acknowledgement. Never throws: where it cannot be read, the
 * jobs that are whole before that place are as they are, and each other id that it names is a job with a fault; so is the answer
 * itself where it has neither.
 */
export function sdpJobs(answer: string): SdpJobs {
  const reader = new SdpReader();
  const jobs = reader.write(answer).map(sdpJob);
  reader.end();
  const { version, fault, faults } = reader;
  return { version, jobs: [...jobs, ...faults], ...(fault !== undefined && { fault }) };
}

/** Reads an answer as it arrives. */
export class SdpReader {
  #version = WITHOUT_IDS;
  #count = 0;
  #characters = 0;
  #whole: XmlElement[] = [];
  #isEmpty = true;
  #fault: string | undefined;
  /** The fault is that it ends. */
  #isCut = false;
  #last = '';
  /** Ids that the answer names; of jobs that are whole, none. */
  readonly #ids = new Set<string>();
  readonly #xml = new XmlReader((part, root) => {
    checkRoot(root);
    this.#count += 1;
    this.#characters = 0;
    if (this.#count > MOST_JOBS) throw new EposError(root.name, `has more than ${MOST_JOBS} jobs`);
    const version = root.attributes.get('Version') ?? '';
    if (VERSION.test(version)) this.#version = version;
    this.#whole.push(part);
    const { id } = parametersOf(part);
    if (id !== undefined) this.#ids.delete(id);
  });

  /** Version of the answer about its jobs. */
  get version(): string {
    return this.#fault === undefined || this.#count > 0 ? this.#version : WITH_IDS;
  }

  /** Gives what is whole with this piece of it, for `sdpJob`. */
  write(piece: string): XmlElement[] {
    const text = this.#last + piece;
    // A piece of a text holds all of it in memory.
    for (const { 1: id = '', 0: found, index } of text.matchAll(ID_ANYWHERE))
      if (index + found.length > this.#last.length && this.#ids.size < MOST_IDS) this.#ids.add([...id].join(''));
    this.#last = text.slice(-ID_CHARACTERS);
    // Some servers begin with an empty line, which XML does not have before its declaration.
    const begun = this.#isEmpty ? piece.trimStart() : piece;
    this.#isEmpty &&= begun === '';
    if (!this.#isEmpty)
      this.#try(() => {
        this.#characters += begun.length;
        this.#xml.write(begun);
        if (this.#characters > MOST_CHARACTERS)
          throw new EposError('ePOSPrint', `is over ${MOST_CHARACTERS} characters`);
      });
    return this.#whole.splice(0);
  }

  end(): void {
    if (this.#isEmpty) return;
    const isRead = this.#fault === undefined;
    this.#try(() => {
      const root = this.#xml.end();
      if (!isAcknowledgement(root)) checkRoot(root);
    });
    this.#isCut = isRead && this.#fault !== undefined && this.#ids.size > 0;
  }

  /** Why the answer cannot be read from some place on. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** What stands for the jobs that could not be read: for the answer where it has no job and no id. */
  get faults(): SdpJob[] {
    const fault = this.#fault;
    if (fault === undefined) return [];
    const ids = this.#ids.size === 0 && this.#count === 0 ? [undefined] : [...this.#ids];
    const about = { device: EPOS_DEVICE, commands: { fault }, ...(this.#isCut && { isCut: true }) };
    return ids.map((id) => ({ ...(id !== undefined && { id }), ...about }));
  }

  #try(read: () => void): void {
    if (this.#fault !== undefined) return;
    try {
      read();
    } catch (error) {
      this.#fault = faultOf(error);
    }
  }
}

/** Throws an EposError. */
function checkRoot({ name, written }: XmlElement): void {
  if (name !== 'PrintRequestInfo')
    throw new EposError(written, 'is not known here: the answer is to be PrintRequestInfo');
}

/** WooCommerce POS has this, and no empty answer, where it has no job. */
const isAcknowledgement = ({ name, attributes, content }: XmlElement): boolean =>
  name === 'response' && attributes.get('success') === 'true' && content.length === 0;

/** What stands in the `Parameter` elements of a job. */
function parametersOf(part: XmlElement) {
  const [parameters, ...others] = elementsOf(part).filter(({ name }) => name === 'Parameter');
  const parameter = (name: string) => {
    const found = parameters && elementsOf(parameters).find((each) => each.name === name);
    return found && textOfElement(found)?.trim();
  };
  // An empty one is none.
  return { id: parameter('printjobid') || undefined, device: parameter('devid') || EPOS_DEVICE, others };
}

/** The job of one part of an answer. Never throws: what cannot be printed is a job with a fault. */
export function sdpJob(part: XmlElement): SdpJob {
  return { ...readJob(part), document: documentMark(part) };
}

/** Characters that are hashed at once: an image is long. */
const AT_ONCE = 64 * 1024;
/** Stands in no XML. */
const BETWEEN = '\u0001';

/** The same for a document that is written otherwise: in its attributes' order, references, sections of character data, empty tags. */
function documentMark(part: XmlElement): string {
  const hash = createHash('sha256');
  for (const element of elementsOf(part)) if (element.name !== 'Parameter') addElement(hash, element);
  return hash.digest('base64');
}

function addElement(hash: Hash, { space, name, attributes, content }: XmlElement): void {
  const values = [...attributes].map(([key, value]) => `${key}=${value}`).sort();
  addText(hash, [BETWEEN, space, name, ...values, BETWEEN].join(BETWEEN));
  for (const each of content) {
    if (typeof each === 'string') addText(hash, each);
    else addElement(hash, each);
  }
  addText(hash, BETWEEN);
}

/** In an encoding that is the same in pieces as whole. */
function addText(hash: Hash, text: string): void {
  for (let at = 0; at < text.length; at += AT_ONCE) hash.update(text.slice(at, at + AT_ONCE), 'utf16le');
}

function readJob(part: XmlElement): SdpJob {
  const { id, device, others } = parametersOf(part);
  // One that is refused for its id is told by it, as far as it can be.
  const about = { ...(id !== undefined && EPOS_JOB_NAME.test(id) && { id }), device };
  try {
    if (part.name !== 'ePOSPrint')
      throw new EposError(part.written, 'is not known here, or needs what a node cannot do');
    if (others.length > 0) throw new EposError('Parameter', 'is there twice');
    if (id !== undefined && !EPOS_JOB_ID.test(id))
      throw new EposError('printjobid', 'is not up to 64 letters, digits, - _ .');
    const rest = elementsIn(part).filter(({ name }) => name !== 'Parameter');
    const [data, ...more] = rest;
    const wrong = data?.name === 'PrintData' ? more[0] : (data ?? part);
    if (data === undefined || wrong !== undefined)
      throw new EposError(wrong?.written ?? part.written, 'is not what an ePOSPrint has: Parameter and PrintData');
    const [document, ...documents] = elementsIn(data);
    if (document === undefined || documents.length > 0) throw new EposError('PrintData', 'is to have one epos-print');
    const remarks = new EposRemarks();
    remarkParameters(part, remarks);
    return { ...about, commands: eposCommands(document, remarks.add), ...remarks.found };
  } catch (error) {
    return { ...about, commands: { fault: faultOf(error) } };
  }
}

/** Tells what stands in `Parameter` that is not understood: the receipt is printed all the same, as the server has forgotten it. */
function remarkParameters(part: XmlElement, { add }: EposRemarks): void {
  for (const parameters of elementsOf(part).filter(({ name }) => name === 'Parameter')) {
    for (const element of elementsOf(parameters)) {
      const text = (textOfElement(element) ?? '').trim();
      if (!PARAMETERS.has(element.name)) add(`${element.written.slice(0, 64)}: is not known here`);
      else if (element.name === 'timeout' && !/^\d{0,9}$/.test(text)) add('timeout: is not milliseconds');
    }
  }
}

function faultOf(error: unknown): string {
  if (error instanceof EposError || error instanceof XmlError) return error.message;
  throw error;
}

/** What became of a job. */
export interface SdpResult extends EposResult {
  readonly id?: string | undefined;
  readonly device: string;
}

/** The `ResponseFile` of a `SetResponse`. */
export function sdpResponse(version: string, results: readonly SdpResult[]): string {
  const parts = results.map(({ id, device, ...result }) => {
    const job = id === undefined ? '' : `<printjobid>${escapeXml(id)}</printjobid>`;
    const about = `<Parameter><devid>${escapeXml(device)}</devid>${job}</Parameter>`;
    return `<ePOSPrint>${about}<PrintResponse>${eposResponse(result)}</PrintResponse></ePOSPrint>`;
  });
  // From version 3.00 on, whether the answer was understood stands first.
  const whole = version.startsWith('3') ? '<ServerDirectPrint><Response Success="true"/></ServerDirectPrint>' : '';
  return `<?xml version="1.0" encoding="utf-8"?>\n<PrintResponseInfo Version="${version}">${whole}${parts.join('')}</PrintResponseInfo>`;
}

/** The `Status` of a status notification (`SetStatus`); `status` as `eposStatusOf` gives it. */
export const sdpStatus = (device: string, status: number): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<statusmonitor Version="1.00"><printerstatus><printer devicename="${escapeXml(device)}" asbstatus="0x${status.toString(16).toUpperCase().padStart(8, '0')}"/></printerstatus></statusmonitor>`;
