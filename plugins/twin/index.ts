/** The twin's bench (/twin/*) and its stricter answers: the codes that only a software twin gives (specification 7). */
import { resolveOptions } from '../../codecs/escpos.ts';
import { messageOf } from '../../runtime/base/thrown.ts';
import { createTurns } from '../../runtime/base/turns.ts';
import type { WifiCredentials } from '../../runtime/bindings/network.ts';
import type { VirtualBench } from '../../runtime/bindings/virtual/bindings.ts';
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { type Command, failed } from '../../runtime/kernel/command.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { type Call, definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { ERASED } from '../../runtime/kernel/settings.ts';
import type { PrinterBench } from '../printer/contract.ts';
import { actionRoute } from './action.ts';
import { attachRoute, devicesRoute } from './attach.ts';
import { buttonRoute } from './button.ts';
import { TwinDone, TwinPaper, TwinPrinter, TwinPrinterState, type TwinRoom } from './contract.ts';
import { errors } from './errors.ts';
import { twinScale } from './scale.ts';
import { scanRoute } from './scan.ts';

const REFUSALS = ['wrong_endpoint_kind', 'conflict'] as const;
const PRINTER_COMMANDS = ['print', 'raw', 'drawer_kick'] as const;
/** Errors of commands that were refused before they started. */
const NOT_STARTED: readonly unknown[] = ['conflict', 'unknown_endpoint', 'unsupported_line_type'];
/** Tap order: before the handlers of the device rooms. */
const STAGE = -100;

function benchOf(node: Node): VirtualBench {
  const { bench } = node.bindings;
  if (bench === undefined) throw new Error('the twin room needs virtual bindings');
  return bench;
}

/** The virtual printer with the name of an endpoint, else that of the first printer endpoint. */
function printerOf(node: Node, endpoint?: string): VirtualDevice & PrinterBench {
  const { devices } = benchOf(node);
  const printer = (endpoint !== undefined && devices.get(endpoint)) || devices.get('printer');
  if (printer === undefined) throw new Error('this twin has no virtual printer');
  return printer as VirtualDevice & PrinterBench;
}

/** What `?endpoint=` can be refused with. */
const ASKED_ERRORS = ['unknown_endpoint', 'wrong_endpoint_kind'] as const;

/** The printer of `?endpoint=`, else the first. Throws an ApiError where that endpoint is none of a printer. */
function printerAsked({ node, request }: Pick<Call, 'node' | 'request'>): VirtualDevice & PrinterBench {
  const id = new URL(request.url ?? '/', 'http://twin').searchParams.get('endpoint');
  if (id === null) return printerOf(node);
  const kind = node.endpoint(id)?.declaration.kind;
  if (kind === undefined) throw new ApiError('unknown_endpoint', 'endpoint: this node has none of that id');
  if (kind !== 'printer') throw new ApiError('wrong_endpoint_kind', `endpoint: it is of kind ${kind}`);
  return printerOf(node, id);
}

/** Between two lots of them a receipt is drawn that waits for the printer. */
const SYMBOLS_AT_ONCE = 16;

/** What is read of the paper of a printer, with the symbols that the drawing thread draws for it; without, where it cannot now. */
async function read<Read>(call: Call, of: (printer: PrinterBench) => Read): Promise<Read> {
  const printer = printerAsked(call);
  const read = of(printer);
  const { undrawn } = printer;
  if (undrawn.length === 0) return read;
  try {
    const from = call.request.socket.remoteAddress ?? '';
    for (let at = 0; at < undrawn.length; at += SYMBOLS_AT_ONCE) {
      const asked = undrawn.slice(at, at + SYMBOLS_AT_ONCE);
      printer.drewSymbols(asked, (await call.node.offered('printer')?.symbols(asked, from)) ?? []);
    }
  } catch (error) {
    call.node.log.warn({ error: messageOf(error) }, 'symbols of the paper are not drawn');
    return read;
  }
  return of(printer);
}

export default definePlugin({
  name: 'twin',
  api: 2,
  requires: ['printer'],
  adds: {
    'POST /print': [...REFUSALS, 'cover_open', 'paper_out'],
    'POST /raw': [...REFUSALS, 'cover_open', 'paper_out'],
    'POST /drawer/kick': REFUSALS,
    'POST /compose': ['conflict', 'cover_open', 'paper_out'],
  },
  errors,
  routes: [
    route({
      method: 'GET',
      path: '/twin/paper',
      tier: 'none',
      summary: 'the paper that came out, as SVG',
      type: 'image/svg+xml; charset=utf-8',
      errors: ASKED_ERRORS,
      handle: (call) => read(call, (printer) => printer.paper('svg')),
    }),
    route({
      method: 'GET',
      path: '/twin/paper.txt',
      tier: 'none',
      summary: 'the paper that came out, as text',
      type: 'text/plain; charset=utf-8',
      errors: ASKED_ERRORS,
      handle: (call) => read(call, (printer) => printer.paper('text')),
    }),
    route({
      method: 'GET',
      path: '/twin/paper.json',
      tier: 'none',
      summary: 'what the paper that came out does not show',
      response: TwinPaper,
      errors: ASKED_ERRORS,
      handle: (call) => read(call, (printer) => printer.paperFacts()),
    }),
    route({
      method: 'GET',
      path: '/twin/paper.bin',
      tier: 'none',
      summary: 'the bytes the printer took',
      type: 'application/octet-stream',
      errors: ASKED_ERRORS,
      handle: (call) => printerAsked(call).paper('bytes'),
    }),
    route({
      method: 'DELETE',
      path: '/twin/paper',
      tier: 'none',
      summary: 'tear the paper off',
      response: TwinDone,
      errors: ASKED_ERRORS,
      handle: (call) => {
        printerAsked(call).tearOff();
        return { ok: true };
      },
    }),
    route({
      method: 'PUT',
      path: '/twin/printer',
      tier: 'none',
      summary: 'open the cover, take the paper, pull the plug',
      body: { schema: TwinPrinter, invalid: 'invalid_config' },
      response: TwinPrinterState,
      errors: ['invalid_config', ...ASKED_ERRORS],
      handle: async (call) => {
        const { node, body } = call;
        const { attached, ...change } = body;
        const { usb } = benchOf(node);
        const printer = printerAsked(call);
        printer.set(change);
        if (attached === true && !usb.isPlugged(printer)) usb.plug(printer);
        if (attached === false && usb.isPlugged(printer)) usb.unplug(printer);
        // The bus reports the change to the node in the next microtask.
        await Promise.resolve();
        await node.settled();
        return { ok: true, ...printer.state, attached: usb.isPlugged(printer) };
      },
    }),
    twinScale,
    scanRoute,
    buttonRoute,
    devicesRoute,
    actionRoute,
    attachRoute,
  ],
  room(node): TwinRoom {
    // Stored while the other rooms are made. Where settings cannot be stored, the twin starts without its network.
    const isSetUp = setUp(node).catch((error: unknown) => node.log.warn({ error: String(error) }, 'not set up'));
    node.hooks.start.tapPromise({ name: 'twin', stage: STAGE }, () => isSetUp);
    const inFlight = new Set<string>();
    // The virtual printer becomes the model of the recipe that the node chose for it.
    node.hooks.attach.tap('twin', (id) => {
      const endpoint = node.endpoint(id);
      if (endpoint?.declaration.kind !== 'printer' || endpoint.recipe === undefined) return;
      printerOf(node, id).become(resolveOptions(endpoint.recipe.row.options));
    });
    // What the node draws is text to a reader of the paper.
    node.offered('printer')?.drawn.tap('twin', (id, texts) => printerOf(node, id).drew(texts));
    node.hooks.event.tap('twin', (event) => {
      if (event.type !== 'command_result' || NOT_STARTED.includes(event['error'])) return;
      inFlight.delete(String(event['commandId']));
    });
    for (const type of PRINTER_COMMANDS) {
      node.hooks.command.for(type).tapPromise({ name: 'twin', stage: STAGE }, async (command) => {
        const refusal = refusalOf(node, command, inFlight);
        inFlight.add(command.id);
        return refusal === undefined ? undefined : failed(command, refusal);
      });
    }
    return { strangers: [], scansInTurn: createTurns() };
  },
});

/**
 * Joins a new twin to its virtual network, so that the user need not set that up first. A network that was forgotten or
 * erased is not joined again.
 */
async function setUp({ bindings, settings }: Node): Promise<void> {
  const { bench, radio } = bindings;
  const home = bench?.radio.networks[0];
  if (home === undefined || radio !== bench?.radio || settings.read('twin') !== undefined) return;
  if (settings.read(ERASED)) return;
  const { ssid, password } = home;
  await settings.update((draft) => {
    draft.wifi ??= { ssid, password, band: 'auto', proven: true };
    draft.twin = { setUp: true };
  });
}

function refusalOf(node: Node, { id, endpoint, type }: Command, inFlight: ReadonlySet<string>): string | undefined {
  if (inFlight.has(id)) return 'conflict';
  if (node.endpoint(endpoint)?.declaration.kind !== 'printer') return 'wrong_endpoint_kind';
  const printer = printerOf(node, endpoint);
  if (type === 'drawer_kick' || !benchOf(node).usb.isPlugged(printer)) return undefined;
  if (printer.state.cover === 'open') return 'cover_open';
  return printer.state.paper === 'out' ? 'paper_out' : undefined;
}

declare module '../../runtime/kernel/registry.ts' {
  interface StoredSettings {
    twin: { readonly setUp: true };
    /** As the network room stores it: the compiler compares the two. */
    wifi: Wifi;
  }
}

interface Wifi extends WifiCredentials {
  readonly proven: boolean;
}
