/** The printer room: configuration, events and what it does when. The driver is jobs/printer.ts. */
import { setTimeout as delay } from 'node:timers/promises';
import { SyncHook } from 'tapable';
import { escpos } from '../../codecs/escpos.ts';
import type { Dither } from '../../codecs/picture.ts';
import { defined } from '../../runtime/base/defined.ts';
import { createTurnsByKey } from '../../runtime/base/turns.ts';
import type { CommandResult as Result } from '../../runtime/kernel/command.ts';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import type { Commands, NodeEvent } from '../../runtime/kernel/registry.ts';
import { bind, classify, PRINTER_CLASS, VENDOR_CLASS } from './bind.ts';
import { holderOf, kick, laidOut, paperOf, print, printSlip, type RawBytes, raw, refusalOf } from './commands.ts';
import {
  type AskedSymbol,
  CommandResult,
  CutClearanceLines,
  Drawer,
  type DrawerKickCommand,
  type DrawnText,
  type Line,
  type PrintCommand,
  type PrinterOffer,
  PrinterStatus,
  PrintersStatus,
  PrintWidthCols,
  Raw,
  StoredMacros,
  StoredPayloads,
  Usb,
} from './contract.ts';
import { Renderer } from './drawing/renderer.ts';
import { errors } from './errors.ts';
import { PrinterMemory } from './jobs/memory.ts';
import type { Printer } from './jobs/printer.ts';
import { PAPER_METRES, RENDER_LIMIT } from './layout/layout.ts';
import type { RawCounters } from './raw/connection.ts';
import { Port9100 } from './raw/port9100.ts';
import { type PrinterCommand, type PrinterRoom, RAW_BYTES, routes } from './routes.ts';
import { statusOf } from './status-block.ts';

const KIND = 'printer';
const STATUS_MS = 5000;
/** While a job has the printer: GET /status makes no reading of its own then, and an open cover is to be told within 3 s. */
const HELD_MS = 2000;
/** GET /status waits this long for a fresh reading, which has to wait for the end of a command. */
const READING_MS = 1000;
/** When the node stops: time for the current job, then for completing interrupted ones. All rooms together have 2.8 s. */
const FINISH_MS = 1500;
const COMPLETE_MS = 300;
/** How long the end of a connection may take to arrive here after its last byte was printed. */
const LAST_WORD_MS = 500;

export default definePlugin({
  name: 'printer',
  api: 2,
  endpoints: [{ id: 'receipt', kind: KIND, transport: 'usb', capabilities: ['print', 'raw', 'drawer_kick', 'status'] }],
  several: [KIND],
  codecs: [escpos],
  errors,
  config: [
    { key: 'printWidthCols', schema: PrintWidthCols, default: 48 },
    { key: 'cutClearanceLines', schema: CutClearanceLines, default: 4 },
    { key: 'drawer', schema: Drawer, default: { pin: 2, onMs: 120, offMs: 240, openLevel: 'high' } },
    { key: 'usb', schema: Usb, default: { chunkBytes: 4096, chunkDelayMs: 0, writeTimeoutMs: 10_000 } },
    { key: 'raw', schema: Raw, default: { enabled: true, idleTimeoutSeconds: 60, protect: 'off' } },
  ],
  inputs: [StoredPayloads, StoredMacros],
  status: PrintersStatus,
  limits: {
    rawPayloadBytes: RAW_BYTES,
    renderBytes: RENDER_LIMIT,
    paperMetres: PAPER_METRES,
    printerStatusEveryMs: STATUS_MS,
  },
  events: {
    command_result: { schema: CommandResult, webhook: true },
    printer_status: { schema: PrinterStatus, webhook: true },
  },
  channels: { classes: [PRINTER_CLASS, VENDOR_CLASS], types: ['bulk'], writes: true, oneWay: 'unidirectional' },
  routes,
  offers: (node): Offered => {
    const renderer = new Renderer(node);
    const drawn = new SyncHook<[string, readonly DrawnText[]]>(['endpoint', 'texts']);
    return Object.freeze({
      drawn,
      laidOut: (endpoint: string, lines: readonly Line[], from?: string) =>
        laidOut(node, endpoint, lines, { renderer, drawn, from }),
      refusalOf: (endpoint: string, lines: readonly Line[], from?: string) =>
        refusalOf(node, endpoint, lines, { renderer, from }),
      paperOf: (endpoint: string) => paperOf(node, endpoint),
      pictured: (file: Uint8Array, width: number, dither: Dither, from: string) =>
        renderer.picture({ file, width, dither }, from),
      symbols: (asked: readonly AskedSymbol[], from: string) => renderer.symbols(asked, from),
      renderer,
    });
  },
  room(node, { drawn, renderer }): PrinterRoom {
    const { hooks } = node;
    const dropped = { pulsesDropped: 0, realtimeDropped: 0, settingsDropped: 0 };
    const counters: RawCounters = { connections: 0, bytes: 0, ...dropped, refused: 0 };
    const endpoints = node.endpoints(KIND).map(({ declaration }) => declaration.id);
    const memory = new PrinterMemory(node, endpoints);
    const ports = new Map(endpoints.map((id, n) => [id, new Port9100(node, id, n, counters)]));
    const printers = () => endpoints.flatMap((id) => node.bound(KIND, id) ?? []);
    const all = (work: (printer: Printer) => Promise<unknown>) => Promise.all(printers().map(work));
    const report = (endpoint: string) => node.event(statusOf(node, endpoint) as NodeEvent);

    hooks.classify.tap('printer', classify);
    hooks.bind.for(KIND).tapPromise('printer', async (candidate) => {
      const { id } = candidate.endpoint;
      const port = ports.get(id);
      let driven = false;
      const onRelease = () => {
        if (!driven) return;
        port?.stopListening();
        port?.hangUp('no_printer', LAST_WORD_MS);
        report(id);
      };
      const pace = () => node.config.get('usb');
      const endpoint = endpoints.length > 1 ? id : undefined;
      const bound = await bind(candidate, node.recipes, {
        pace,
        memory,
        endpoint,
        onChange: () => report(id),
        onRelease,
      });
      if (!('release' in bound)) return bound;
      driven = true;
      void bound.settle().then(() => bound.refresh());
      await port?.listen();
      return bound;
    });

    const on = <Type extends PrinterCommand>(type: Type, run: (command: Commands[Type]) => Promise<Result> | Result) =>
      hooks.command.for(type).tapPromise('printer', async (command) => {
        if (!ports.has(command.endpoint)) return undefined;
        return run(command);
      });
    const inTurn = createTurnsByKey();
    on('print', (command) => print(node, command, { renderer, drawn, inTurn }));
    on('raw', (command) => raw(node, command));
    on('drawer_kick', (command) => kick(node, command));

    hooks.prompt.tap('printer', ({ type }) => (type === 'drawer_kick' ? true : undefined));
    hooks.awaited.tap('printer', ({ endpoint }) => {
      const printer = node.bound(KIND, endpoint);
      return printer && holderOf(printer);
    });
    hooks.notice.tapPromise('printer', (lines) => printSlip(node, lines));
    hooks.quiet.tapPromise('printer', async (timeoutMs) => {
      await all((printer) => printer.drained(timeoutMs));
    });
    hooks.status.tap('printer', (draft) => {
      draft['text'] = { scripts: node.image.scripts };
      draft['printers'] = [...ports].map(([id, { number: rawPort }]) => ({
        ...statusOf(node, id),
        ...defined({ rawPort }),
      }));
      const [first] = ports.values();
      draft['raw'] = { ...defined({ port: first?.number }), ...counters };
    });

    const open = async () => {
      for (const [id, port] of ports) {
        await port.reserve();
        if (node.bound(KIND, id) !== undefined) await port.listen();
      }
    };
    hooks.configure.for('raw').tapPromise('printer', async ({ value, previous }) => {
      const { enabled } = value;
      if (enabled === previous.enabled) return;
      if (enabled) await open();
      else for (const port of ports.values()) port.giveUp();
    });
    const read = (endpoint: string) => {
      const waited = delay(READING_MS, false, { ref: false });
      const reading = node.bound(KIND, endpoint)?.refresh() ?? false;
      void Promise.race([reading, waited]).then((reported) => reported || report(endpoint));
    };
    const look = (endpoint: string) => {
      const printer = node.bound(KIND, endpoint);
      if (printer?.heldBy !== undefined) void printer.refresh();
    };
    let timer: NodeJS.Timeout | undefined;
    let heldTimer: NodeJS.Timeout | undefined;
    hooks.start.tapPromise('printer', async () => {
      await memory.load();
      if (node.config.get('raw').enabled) await open();
      timer = setInterval(() => {
        void memory.storeMacros();
        endpoints.forEach(read);
      }, STATUS_MS);
      heldTimer = setInterval(() => endpoints.forEach(look), HELD_MS);
    });
    hooks.stop.tapPromise('printer', async () => {
      clearInterval(timer);
      clearInterval(heldTimer);
      await memory.storeMacros();
      for (const port of ports.values()) port.stopListening();
      await renderer.stop();
      await all((printer) => printer.drained(FINISH_MS));
      for (const port of ports.values()) port.hangUp('restarting');
      // Completes what the connections left open.
      await all((printer) => printer.drained(COMPLETE_MS));
    });
    return { renderer };
  },
});

/** What the room itself has of its offer, too. */
type Offered = PrinterOffer & { readonly renderer: Renderer };

declare module '../../runtime/kernel/registry.ts' {
  interface BoundKinds {
    printer: Printer;
  }
  interface Commands {
    print: PrintCommand;
    raw: RawBytes;
    drawer_kick: DrawerKickCommand;
  }
}
