/** The routes of the room, and what each refuses by the form of its body. */
import { Buffer } from 'node:buffer';
import { decodeBase64 } from '../../codecs/base64.ts';
import { replyOf, runCommand } from '../../runtime/http/commands.ts';
import { addressOf } from '../../runtime/http/peer.ts';
import { failed } from '../../runtime/kernel/command.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { type Call, route, routesOf } from '../../runtime/kernel/plugin.ts';
import type { NodeEvent } from '../../runtime/kernel/registry.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { type SchemaFault, wordsOf } from '../../runtime/kernel/validator.ts';
import { check, preview, type RawBytes } from './commands.ts';
import {
  CommandResult,
  DrawerKickCommand,
  ENDPOINT_LENGTH,
  ID_LENGTH,
  PreviewHeaders,
  PreviewRequest,
  PrintCommand,
  RawCommand,
} from './contract.ts';
import type { Renderer } from './drawing/renderer.ts';

/** What a printer is asked to do, by the API. */
export type PrinterCommand = 'print' | 'raw' | 'drawer_kick';

/** At most so many bytes in one `POST /raw`. */
export const RAW_BYTES = 8192;
const COMMAND_ERRORS = ['invalid_command', 'unknown_endpoint', 'busy', 'write_failed'] as const;

/** What the handlers of this room share. */
export interface PrinterRoom {
  readonly renderer: Renderer;
}

/** The routes, as the plugin declares them. */
export const routes = [
  route({
    method: 'POST',
    path: '/print',
    tier: 'strict',
    summary: 'print lines',
    body: { schema: PrintCommand, limitBytes: 256 * 1024, invalid: refuse('print') },
    response: CommandResult,
    errors: [
      ...COMMAND_ERRORS,
      'render_too_large',
      'unsupported_line_type',
      'no_printer',
      'unsupported_command_set',
      'render_alloc_failed',
    ],
    commands: { begins: 'handler' },
    handle: (call) => runCommand(call, call.body),
  }),
  routesOf<PrinterRoom>()({
    method: 'POST',
    path: '/preview',
    tier: 'strict',
    summary: 'the paper of lines, without printing',
    headers: PreviewHeaders,
    body: { schema: PreviewRequest, limitBytes: 256 * 1024, invalid: refusePreview },
    type: 'image/svg+xml; charset=utf-8',
    errors: [
      ...['invalid_command', 'unknown_endpoint', 'render_too_large', 'unsupported_line_type', 'render_alloc_failed'],
      'restarting',
    ],
    before: refuseWhileRestarting,
    handle: showPaper,
  }),
  route({
    method: 'POST',
    path: '/raw',
    tier: 'strict',
    summary: 'send raw printer bytes',
    body: { schema: RawCommand, invalid: refuse('raw') },
    response: CommandResult,
    errors: [...COMMAND_ERRORS, 'render_too_large', 'no_printer', { code: 'render_alloc_failed', statuses: [503] }],
    commands: { begins: 'handler' },
    handle: sendRaw,
  }),
  route({
    method: 'POST',
    path: '/drawer/kick',
    tier: 'strict',
    summary: 'pulse the drawer through the printer',
    body: { schema: DrawerKickCommand, invalid: refuse('drawer_kick') },
    response: CommandResult,
    errors: [...COMMAND_ERRORS, 'no_drawer'],
    commands: { begins: 'handler' },
    handle: (call) => runCommand(call, call.body),
  }),
];

async function showPaper({
  node,
  room,
  body,
  request,
}: Call<PreviewRequest, PrinterRoom>): Promise<Reply | Uint8Array> {
  const { socket, headers } = request;
  const looking = { from: addressOf(socket), wanted: () => !socket.destroyed };
  if (!/(?:^|[\s,])return=minimal(?:[\s,;]|$)/i.test(String(headers['prefer'] ?? '')))
    return preview(node, room.renderer, body, looking);
  await check(node, room.renderer, body, looking);
  return new Reply(204, '', { 'Preference-Applied': 'return=minimal' });
}

function refuseWhileRestarting({ node }: Call<undefined>): void {
  if (node.restarting) throw new ApiError('restarting');
}

/** Puts a command that was refused by its form into the list of recent jobs. */
function listRefused(kind: PrinterCommand, { node, body, request }: Call, error: string): void {
  const { id, endpoint } = (body ?? {}) as { id?: unknown; endpoint?: unknown };
  const job = {
    ...(typeof id === 'string' && { id: id.slice(0, ID_LENGTH) }),
    ...{ kind, endpoint: typeof endpoint === 'string' ? endpoint.slice(0, ENDPOINT_LENGTH) : '' },
    from: addressOf(request.socket),
  };
  node.offered('jobs')?.begin(job).end({ error });
}

/** As a print command is refused by its form. */
function refusePreview(fault: SchemaFault): Reply {
  throw new ApiError(isLineType(fault) ? 'unsupported_line_type' : 'invalid_command', wordsOf(fault));
}

const isLineType = ({ keyword, path }: SchemaFault): boolean =>
  keyword === 'discriminator' && /^lines\/\d+$/.test(path);

/** An unknown line type is a refused command (a result with an error), not an invalid body. */
function refuse(kind: PrinterCommand): (fault: SchemaFault, call: Call) => Reply {
  return (fault, call) => {
    const { node, body } = call;
    const { id, endpoint } = (body ?? {}) as { id?: unknown; endpoint?: unknown };
    const detail = wordsOf(fault);
    if (!isLineType(fault) || typeof id !== 'string' || typeof endpoint !== 'string') {
      listRefused(kind, call, 'invalid_command');
      throw new ApiError('invalid_command', detail);
    }
    listRefused(kind, call, 'unsupported_line_type');
    const result = failed({ type: kind, id, endpoint }, 'unsupported_line_type', detail);
    node.event(result as unknown as NodeEvent);
    return replyOf(node, result);
  };
}

function sendRaw(call: Call<RawCommand>): Promise<Reply> | Reply {
  const { node, body } = call;
  const { data, ...command } = body;
  const refused = (error: string, detail: string) => {
    listRefused('raw', call, error);
    return new ApiError(error, detail);
  };
  // Base64 has four characters for three bytes: a longer text is too large and need not be decoded.
  if (data.length > Math.ceil((RAW_BYTES + 3) / 3) * 4) throw refused('render_too_large', `at most ${RAW_BYTES} bytes`);
  if (node.bindings.host.memoryLeft() < RAW_BYTES) {
    listRefused('raw', call, 'render_alloc_failed');
    return new Reply(503, { ok: false, error: 'render_alloc_failed' });
  }
  const bytes = decodeBase64(data);
  if (bytes === undefined) throw refused('invalid_command', 'data: is not canonical base64');
  if (bytes.length > RAW_BYTES) throw refused('render_too_large', `at most ${RAW_BYTES} bytes`);
  const sent: RawBytes = { ...command, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
  return runCommand(call, sent);
}
