/** Tells a node from another server, by the shape of what it answers. */
import { answers } from 'virtual:answers';
import { sentenceOf, shapeFaultOf } from '../base/shape-faults.ts';
import { blobOf } from '../client/body.ts';
import { NodeError } from '../client/errors.ts';

/**
 * `fetch` for the node at this base URL. Rejects with a NodeError `bad_answer` for a success that no node answers with: of
 * another media type, or JSON of another shape. Refusals and routes of rooms that this command line lacks pass.
 */
export function fetchOf(url: string): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const [path] = String(input).slice(url.length).split('?');
    const expected = answers[`${init?.method} ${path}`];
    if (!response.ok || expected === undefined) return response;
    const { status, headers } = response;
    const { type, validate } = expected;
    if (validate === undefined) {
      if (headers.get('Content-Type')?.startsWith(type) === true) return response;
      throw new NodeError('bad_answer', status, `${path} is not ${type}`);
    }
    const body = await blobOf(response, init?.signal ?? new AbortController().signal);
    if (validate(parsed(await body.text()))) return new Response(body, { status, headers });
    const [fault] = validate.errors ?? [];
    const told =
      fault === undefined ? ' has another shape' : `${fault.instancePath} ${sentenceOf(shapeFaultOf(fault))}`;
    throw new NodeError('bad_answer', status, `${path}${told}`);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
