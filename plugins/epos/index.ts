/**
 * The ePOS room: what prints on an Epson printer of the network by ePOS-Print XML prints here, by the commands of the API. Off until it is
 * switched on, and for native programs alone: a request with an Origin is refused.
 */

import { type EposOutcome, eposCodeOf, eposStatusOf } from '../../codecs/epos-results.ts';
import { type EposRequest, eposAnswer, eposRequest } from '../../codecs/epos-soap.ts';
import { xmlDecoder } from '../../codecs/xml-encoding.ts';
import { defined } from '../../runtime/base/defined.ts';
import { addressOf } from '../../runtime/http/peer.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { type Call, definePlugin, routesOf } from '../../runtime/kernel/plugin.ts';
import { Shares } from '../../runtime/kernel/shares.ts';
import type { ListedJob } from '../../runtime/services/jobs/contract.ts';
import { Epos, EposMessage } from './contract.ts';
import { endpointOf, printDocument } from './printing.ts';

/** Largest document: an image as wide as the paper takes 10,000 rows of it. */
const DOCUMENT_BYTES = 1024 * 1024;
/** Documents that wait or print, in bytes, and those of one address. */
const MEMORY = 8 * 1024 * 1024;
const MEMORY_OF_ONE = 4 * 1024 * 1024;

/** Memory for documents. */
interface Room {
  readonly memory: Shares;
}

const route = routesOf<Room>();

export default definePlugin({
  name: 'epos',
  api: 2,
  requires: ['printer'],
  config: [{ key: 'epos', schema: Epos, default: { enabled: false } }],
  routes: [
    route({
      method: 'POST',
      path: '/cgi-bin/epos/service.cgi',
      tier: 'strict',
      summary: 'print a document of ePOS-Print XML, as an Epson printer does',
      body: {
        ...{ schema: EposMessage, type: 'application/xml', limitBytes: DOCUMENT_BYTES, invalid: 'invalid_body' },
        decode: xmlText,
      },
      type: 'text/xml; charset=utf-8',
      errors: ['not_found', 'restarting'],
      before: refuseWhileOff,
      handle: serve,
    }),
  ],
  room: (): Room => ({ memory: new Shares(MEMORY, MEMORY_OF_ONE) }),
});

/** As its mark, its declaration or its media type says. Throws a RangeError that names an encoding that is not known. */
function xmlText(bytes: Uint8Array, mediaType: string | undefined): string {
  const decoder = xmlDecoder(bytes, mediaType);
  return decoder.decode(bytes) + decoder.end();
}

function refuseWhileOff({ node, request }: Call<undefined, Room>): void {
  // Web pages have the API: also those of the node itself.
  if (request.headers.origin !== undefined) throw new ApiError('origin_refused');
  if (!node.config.get('epos').enabled) throw new ApiError('not_found', 'epos.enabled is not set');
  if (node.restarting) throw new ApiError('restarting');
}

async function serve(call: Call<EposMessage, Room>): Promise<string> {
  const { request } = call;
  const asked = eposRequest(call.body, new URL(request.url ?? '', 'http://node').searchParams);
  const { error, detail, status = eposStatusOf(undefined) } = await outcomeOf(asked, call);
  return eposAnswer(asked, { code: error === undefined ? '' : eposCodeOf(error), status, detail });
}

/** Characters of an id in the list of jobs. */
const LISTED_ID = 128;

async function outcomeOf(
  asked: EposRequest,
  { node, room, body, request, begin }: Call<EposMessage, Room>,
): Promise<EposOutcome> {
  const from = addressOf(request.socket);
  const endpoint = endpointOf(node, asked.device);
  const { id, device } = asked;
  let job: ListedJob | undefined;
  const listed = () => {
    const listing = {
      ...defined({ id: id?.slice(0, LISTED_ID) }),
      kind: 'epos',
      endpoint: endpoint ?? device.slice(0, 64),
      from,
    };
    job ??= node.offered('jobs')?.begin(listing);
    return job;
  };
  const giveBack = room.memory.take(from, body.length);
  let outcome: EposOutcome = { error: 'internal' };
  try {
    if (endpoint === undefined) outcome = { error: 'unknown_endpoint', detail: 'devid: no printer has this name' };
    else if (giveBack === undefined)
      outcome = { error: 'busy', detail: 'too many documents wait; nothing was written' };
    else outcome = await printDocument(node, endpoint, asked, { from, begin, listed });
    return outcome;
  } finally {
    giveBack?.();
    listed()?.end({ error: outcome.error });
  }
}
