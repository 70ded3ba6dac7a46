/**
 * Messages of Epson's ePOS-Print service ("ePOS-Print XML User's Manual", SOAP/HTTP interface, with and without WSDL): a document
 * in a SOAP 1.1 envelope, or by itself, and the answer about it.
 */
import { type EposResult, eposResponse } from './epos-results.ts';
import { EPOS_NAMESPACE, type EposCommand, EposError, eposCommands } from './epos-xml.ts';
import { EPOS_DEVICE, EPOS_JOB_ID, EPOS_JOB_NAME, EposRemarks, elementsIn, textIn } from './epos-xml-values.ts';
import { escapeXml, readXml, type XmlElement, XmlError } from './xml-tree.ts';

/** A request for a document. */
export interface EposRequest {
  /** Whether the request came in an envelope: then so does the answer. */
  readonly enveloped: boolean;
  /** Whether the header of the request had a `parameter`: then so does that of the answer. */
  readonly hasParameter: boolean;
  /** `devid`. */
  readonly device: string;
  /** `timeout`: printing begins in this time, or not at all. */
  readonly timeoutMs: number;
  /** `printjobid`. */
  readonly id?: string | undefined;
  /** What it prints, or why it cannot be printed: the name of the element at fault, and words. */
  readonly commands: readonly EposCommand[] | { readonly fault: string };
  /** What of it is printed otherwise than asked for; undefined where nothing is. */
  readonly remarks?: string;
}

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
/** Milliseconds: what the manual has where none are given, and the most. */
const TIMEOUT = { usual: 60_000, most: 300_000 } as const;
const PARAMETERS = ['devid', 'timeout', 'printjobid'] as const;
type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Reads a request. `query`: of its URL, with `devid` and `timeout`; what the header says goes before. Never throws: what cannot be
 * read is a request with a fault.
 */
export function eposRequest(text: string, query: URLSearchParams): EposRequest {
  let enveloped = true;
  let header: Parameters | undefined;
  let known: Omit<EposRequest, 'commands' | 'enveloped'> | undefined;
  const about = () => {
    const { devid = query.get('devid'), printjobid: id } = header ?? {};
    const timeoutMs = timeoutOf(header?.timeout ?? query.get('timeout') ?? undefined);
    // One that is refused for its id is told by it, as far as it can be.
    const told = id !== undefined && EPOS_JOB_NAME.test(id) ? id : undefined;
    return { hasParameter: header !== undefined, device: devid || EPOS_DEVICE, timeoutMs, id: told };
  };
  try {
    // Some programs begin with an empty line, which XML does not have before its declaration.
    const root = readXml(text.trimStart());
    enveloped = root.name !== 'epos-print';
    const { parameter, document } = enveloped ? partsOf(root) : { parameter: undefined, document: root };
    header = parameter && parametersOf(parameter);
    known = about();
    // An empty one is none.
    if (header?.printjobid && !EPOS_JOB_ID.test(header.printjobid))
      throw new EposError('printjobid', 'is not up to 64 letters, digits, - _ .');
    if (document === undefined) throw new EposError('Body', 'is to have one epos-print');
    const remarks = new EposRemarks();
    return { enveloped, ...known, commands: eposCommands(document, remarks.add), ...remarks.found };
  } catch (error) {
    if (!(error instanceof EposError || error instanceof XmlError)) throw error;
    const unknown = { hasParameter: false, device: EPOS_DEVICE, timeoutMs: TIMEOUT.usual };
    return { enveloped, ...(known ?? unknown), commands: { fault: error.message } };
  }
}

/** The answer to a request. */
export function eposAnswer({ enveloped, hasParameter, device, id }: EposRequest, result: EposResult): string {
  const response = eposResponse(result);
  if (!enveloped) return `${DECLARATION}${response}`;
  const job = id === undefined ? '' : `<printjobid>${escapeXml(id)}</printjobid>`;
  const parameter = `<parameter xmlns="${EPOS_NAMESPACE}"><devid>${escapeXml(device)}</devid>${job}</parameter>`;
  const header = hasParameter ? `<s:Header>${parameter}</s:Header>` : '';
  return `${DECLARATION}<s:Envelope xmlns:s="${SOAP}">${header}<s:Body>${response}</s:Body></s:Envelope>`;
}

/** The `parameter` and the document of an envelope. Throws an EposError for whatever else is there. */
function partsOf(envelope: XmlElement): { parameter: XmlElement | undefined; document: XmlElement | undefined } {
  if (envelope.name !== 'Envelope' || envelope.space !== SOAP)
    throw new EposError(envelope.written, `is to be epos-print, or an Envelope of ${SOAP}`);
  const parts = elementsIn(envelope);
  const header = parts[0]?.name === 'Header' ? parts.shift() : undefined;
  const [body, ...others] = parts;
  const wrong = [header, body].find((each) => each !== undefined && each.space !== SOAP);
  if (body?.name !== 'Body' || wrong !== undefined || others.length > 0)
    throw new EposError(
      (wrong ?? others[0] ?? body ?? envelope).written,
      'is not what an Envelope has: Header and Body',
    );
  const [parameter, ...more] = header === undefined ? [] : elementsIn(header);
  const unknown = parameter?.name === 'parameter' && parameter.space === EPOS_NAMESPACE ? more[0] : parameter;
  if (unknown !== undefined) throw new EposError(unknown.written, 'is not known here');
  const [document, second] = elementsIn(body);
  if (second !== undefined) throw new EposError(second.written, 'is not known here: a Body has one epos-print');
  return { parameter, document };
}

function parametersOf(parameter: XmlElement): Parameters {
  const found: Parameters = {};
  for (const element of elementsIn(parameter)) {
    const name = PARAMETERS.find((each) => each === element.name);
    if (name === undefined || name in found)
      throw new EposError(element.written, 'is not known here, or is there twice');
    found[name] = textIn(element).trim();
  }
  return found;
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined || text === '') return TIMEOUT.usual;
  const ms = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (ms < 0 || ms > TIMEOUT.most) throw new EposError('timeout', `is not milliseconds up to ${TIMEOUT.most}`);
  return ms;
}
