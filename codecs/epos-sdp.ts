/** Documents of Epson's Server Direct Print ("Server Direct Print User's Manual", M00062909): jobs, results, status. */
import { type EposResult, eposResponse } from './epos-results.ts';
import { type EposCommand, EposError, eposCommands } from './epos-xml.ts';
import { EPOS_DEVICE, EPOS_JOB_ID } from './epos-xml-values.ts';
import { elementsOf, escapeXml, readXml, textOf, type XmlElement, XmlError } from './xml-tree.ts';

/** One `ePOSPrint` of an answer. */
export interface SdpJob {
  /** `printjobid`; documents before version 2.00 have none. */
  readonly id?: string;
  /** `devid`. */
  readonly device: string;
  /** What it prints, or why it cannot be printed: the name of the element at fault, and words. */
  readonly commands: readonly EposCommand[] | { readonly fault: string };
}

/** The jobs of an answer, and the version that the answer about them has. */
export interface SdpJobs {
  readonly version: string;
  readonly jobs: readonly SdpJob[];
}

/** Odoo hands out all that wait: after a day on which the printer was off, hundreds. */
const MOST_JOBS = 1000;
const ID_ANYWHERE = /<printjobid>\s*([\w.-]{1,64})\s*<\/printjobid>/g;
const VERSION = /^[1-9]\.\d\d$/;

/**
 * The jobs of an answer to `GetRequest`; none of an empty one. Never throws: an answer that cannot be read is a job with a
 * fault for each id that it names, or for none.
 */
export function sdpJobs(answer: string): SdpJobs {
  if (answer.trim() === '') return { version: '1.00', jobs: [] };
  try {
    const root = readXml(answer);
    if (root.name !== 'PrintRequestInfo')
      throw new EposError(root.written, 'is not known here: the answer is to be PrintRequestInfo');
    const parts = elementsOf(root);
    if (parts.length > MOST_JOBS) throw new EposError(root.name, `has more than ${MOST_JOBS} jobs`);
    const version = root.attributes.get('Version') ?? '1.00';
    return { version: VERSION.test(version) ? version : '1.00', jobs: parts.map(jobOf) };
  } catch (error) {
    const fault = faultOf(error);
    const ids = new Set<string>();
    for (const [, id = ''] of answer.matchAll(ID_ANYWHERE)) if (ids.size < MOST_JOBS) ids.add(id);
    const jobs = (ids.size > 0 ? [...ids] : [undefined]).map((id) => ({
      ...(id !== undefined && { id }),
      device: EPOS_DEVICE,
      commands: { fault },
    }));
    return { version: '2.00', jobs };
  }
}

function jobOf(part: XmlElement): SdpJob {
  const [parameters, ...others] = elementsOf(part).filter(({ name }) => name === 'Parameter');
  const parameter = (name: string) => {
    const found = parameters && elementsOf(parameters).find((each) => each.name === name);
    return found && textOf(found)?.trim();
  };
  const id = parameter('printjobid');
  const about = { ...(id !== undefined && EPOS_JOB_ID.test(id) && { id }), device: parameter('devid') || EPOS_DEVICE };
  try {
    if (part.name !== 'ePOSPrint')
      throw new EposError(part.written, 'is not known here, or needs what a node cannot do');
    if (others.length > 0) throw new EposError('Parameter', 'is there twice');
    if (id !== undefined && !EPOS_JOB_ID.test(id))
      throw new EposError('printjobid', 'is not up to 64 letters, digits, - _ .');
    const rest = elementsOf(part).filter(({ name }) => name !== 'Parameter');
    const [data, ...more] = rest;
    const wrong = data?.name === 'PrintData' ? more[0] : (data ?? part);
    if (data === undefined || wrong !== undefined)
      throw new EposError(wrong?.written ?? part.written, 'is not what an ePOSPrint has: Parameter and PrintData');
    const [document, ...documents] = elementsOf(data);
    if (document === undefined || documents.length > 0) throw new EposError('PrintData', 'is to have one epos-print');
    return { ...about, commands: eposCommands(document) };
  } catch (error) {
    return { ...about, commands: { fault: faultOf(error) } };
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
