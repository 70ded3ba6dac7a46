/** The scanner room: scan log, configuration and event. The driver is scanner.ts. */
import { hidKeyboard } from '../../codecs/hid-keyboard.ts';
import { hidPos } from '../../codecs/hid-pos.ts';
import { serialLines } from '../../codecs/serial-lines.ts';
import { CDC_DATA_CLASS } from '../../runtime/bindings/serial/acm.ts';
import type { UsbDevice } from '../../runtime/bindings/usb.ts';
import { HID_CLASS } from '../../runtime/bindings/usb-hid.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { definePlugin, routesOf } from '../../runtime/kernel/plugin.ts';
import { bind, classify, probe } from './bind.ts';
import { ScannerConfig, ScanRead, Scans, ScansCleared } from './contract.ts';
import { SCAN_RING, ScanLog } from './log.ts';
import { Policy } from './policy.ts';
import { type ReadSink, Scanner } from './scanner.ts';

const ENDPOINT = 'scanner';
/** Bytes of a record in an answer without its value, and of a character of the value, which JSON may write as \uXXXX. */
const RECORD_BYTES = 256;
const CHARACTER_BYTES = 6;

const route = routesOf<ScanLog>();

export default definePlugin({
  name: 'scanner',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: 'scanner', transport: 'usb', capabilities: ['scan'] }],
  codecs: [hidKeyboard, hidPos, serialLines],
  events: { scan_read: { schema: ScanRead, webhook: true } },
  channels: { classes: [HID_CLASS, CDC_DATA_CLASS], types: ['interrupt', 'bulk'] },
  limits: { scanRing: SCAN_RING },
  config: [
    {
      key: 'scanner',
      schema: ScannerConfig,
      default: {
        readMode: 'auto',
        layout: 'us',
        minLength: 4,
        interKeyTimeoutMs: 120,
        duplicateWindowMs: 500,
        burstGapMs: 0,
        symbologies: [],
      },
    },
  ],
  routes: [
    route({
      method: 'GET',
      path: '/scans',
      tier: 'none',
      summary: 'the last 12 reads and why some were rejected',
      response: Scans,
      errors: ['persist_failed'],
      handle: ({ node, room: log }) => {
        const view = log.view(performance.now());
        const bytes = RECORD_BYTES * (view.scans.length + 1) + CHARACTER_BYTES * log.characters;
        if (node.bindings.host.memoryLeft() < bytes) throw new ApiError('persist_failed', 'out of memory');
        return { endpoint: ENDPOINT, ...view };
      },
    }),
    route({
      method: 'DELETE',
      path: '/scans',
      tier: 'strict',
      summary: 'clear the scan log',
      response: ScansCleared,
      handle: ({ room: log }) => {
        log.clear();
        return { ok: true };
      },
    }),
  ],
  offers: () => new ScanLog(),
  room(node, log) {
    const { hooks } = node;
    const policy = new Policy();
    let settings = node.config.get('scanner');
    hooks.configure.for('scanner').tap('scanner', ({ value }) => {
      settings = value;
    });

    const sink: ReadSink = {
      read: (read) => {
        const { verdict, gapMs } = policy.judge(read, settings);
        if (verdict === 'unlisted') return log.reject('symbology');
        const { value, symbology, symbologySource, endedAt } = read;
        const suspect = read.suspect && { suspect: read.suspect };
        const seq = log.add({ value, verdict, symbology, symbologySource, gapMs, endedAt, ...suspect });
        if (verdict !== 'accepted') return;
        node.offered('jobs')?.count(ENDPOINT, 'scans');
        node.event({ type: 'scan_read', endpoint: ENDPOINT, value, seq, symbology, symbologySource, ...suspect });
      },
      unreadable: () => log.reject('unreadable'),
    };
    hooks.classify.tap('scanner', (identity, recipe) => classify(identity, recipe, settings.readMode));
    /** Devices whose report descriptors say that they are scanners. */
    const told = new WeakSet<UsbDevice>();
    hooks.probe.tapPromise('scanner', async (device) => {
      const found = await probe(device, node.recipes.resolve(device.identity), settings.readMode);
      if (found === 'scanner') told.add(device);
      return found && 'scanner';
    });
    // A keyboard that was taken for a scanner for want of one.
    hooks.outranks.tap('scanner', ({ device, recipe }, bound) => {
      const hasRow = recipe?.row.kind === 'scanner' && recipe.row.refuse === undefined;
      return (bound instanceof Scanner && bound.guessed && (hasRow || told.has(device))) || undefined;
    });
    hooks.bind.for('scanner').tapPromise('scanner', (candidate) => bind(candidate, node.recipes, () => settings, sink));
    return log;
  },
});
