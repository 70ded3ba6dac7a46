/**
 * How every code of the error table is provoked: situations that a node is brought into, and the requests made in them,
 * in order, over HTTP. What no situation names is not driven, and the test says so.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Behaviour, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { twinPlugins } from '../plugins.ts';
import { reply, routes, TOKEN } from '../services/cloud/node.ts';
import { storageWith } from '../storage.ts';
import { fromMirrors } from './mirrors.ts';
import { GOOD, imageFor, LINES, upload } from './requests.ts';
import { type Ask, type Shop, type ShopOptions, send, startShop } from './shop.ts';
import {
  type Arrange,
  all,
  type Case,
  diskFails,
  generic,
  HUGE,
  ofTwin,
  refused,
  type Situation,
  situation,
} from './situation.ts';
import { additionalPairs, type Pair, routesOf, tablePairs, type VariantName } from './tables.ts';

const pairsOf = (code: string, variant: VariantName = 'camera') =>
  tablePairs(variant).filter((pair) => pair.code === code && pair.route !== 'POST /provision');
const ofCamera = new Set(routesOf('camera').map(({ method, path }) => `${method} ${path}`));
/** Whether it is of a route that a camera does not have. */
const isTwins = ({ route }: Pair) => route !== 'unrouted' && !ofCamera.has(route);

const print = (lines: readonly object[]): Ask => ({ body: { type: 'print', id: 'p', endpoint: 'receipt', lines } });
const BANNERS = Array.from({ length: 400 }, () => ({ type: 'banner', value: 'X'.repeat(40) }));
const FEEDS = Array.from({ length: 3000 }, () => ({ type: 'feed', lines: 255 }));
const COMMANDS = ['POST /print', 'POST /raw', 'POST /drawer/kick'];

/** An endpoint that is no printer's. */
const OTHER_KIND = twinPlugins.flatMap(({ endpoints = [] }) => endpoints).find(({ kind }) => kind !== 'printer')?.id;

/** The twin's bench at an endpoint that is no printer's. */
const benchAt = (answer: string, endpoint = ''): Case[] =>
  [
    'GET /twin/paper',
    'GET /twin/paper.txt',
    'GET /twin/paper.json',
    'GET /twin/paper.bin',
    'DELETE /twin/paper',
    'PUT /twin/printer',
  ].map((route) => ({
    ...refused(answer, route),
    ask: (node) => send(node, `${route}?endpoint=${endpoint}`, GOOD[route]),
  }));

const ZEBRA = {
  ...{ vendorId: 0x0a5f, productId: 0x0164, make: 'Zebra', model: 'ZD220' },
  deviceId: 'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZD220-203dpi ZPL;',
};

const memory = (bytes: number) => (node: Shop) => {
  node.host.memory = bytes;
};
const plenty = memory(256 * 1024 * 1024);
const unplug = ({ unplug: pull }: Shop) => pull('printer', 'camera');
const restarting = ({ kernel }: Shop) => void kernel.hold();
const jam = async ({ kernel, printer }: Shop) => {
  await kernel.config.patch({ usb: { writeTimeoutMs: 500 } });
  printer.set({ nak: true });
};

const KEYED = { headers: { 'Idempotency-Key': 'k' } };
/** The key is used by another request. */
const otherRequest = ({ kernel: { keys } }: Shop) =>
  void keys.once({ key: 'k', method: 'POST', path: '/restart', body: {}, from: '' }, () => new Promise(() => {}));
/** The key, which is the route, is used by the same request, which does not end. */
const inUse = (routes: readonly string[]) =>
  routes.map((route) =>
    refused('409 key_in_use', route, { headers: { 'Idempotency-Key': route } }, ({ kernel: { keys } }) => {
      const [method = '', path = ''] = route.split(' ');
      void keys.once({ key: route, method, path, body: GOOD[route]?.body, from: '' }, () => new Promise(() => {}));
    }),
  );

/** As many commands of one address wait as may, behind one that the printer does not take. */
const crowd = ({ kernel, printer }: Shop) => {
  printer.set({ nak: true });
  for (let n = 0; n < 32; n += 1)
    void kernel.command({ type: 'drawer_kick', id: `k${n}`, endpoint: 'receipt', from: '127.0.0.1' });
};

const arranged = async (arrange: Arrange): Promise<Shop> => {
  const node = await startShop();
  await arrange(node);
  return node;
};

const withCloud = async (behave: Behaviour, options: ShopOptions = {}): Promise<Shop> => {
  const cloud = await startReceiver(routes({ '/compose': behave, '/heartbeat': reply(204) }));
  const node = await startShop(options);
  await send(node, 'PUT /cloud', { body: { url: cloud.url, token: TOKEN } });
  return node;
};
const composed = (lines: readonly object[]) => () => withCloud(reply(200, { lines }));

/** Holds a connection open that is not read to its end. */
const open = (path: string) => async (node: Shop) => {
  const socket = connect(Number(new URL(node.url).port), '127.0.0.1');
  node.kernel.hooks.stop.tap('test', () => void socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'data');
};

const OF_THE_NODE: readonly Situation[] = [
  situation('any request', [
    refused('404 not_found', 'unrouted', { method: 'GET', path: '/nothing' }),
    ...generic(pairsOf('method_not_allowed'), { method: 'PATCH', body: '' }),
    ...all('405 method_not_allowed', ['POST /provision'], { method: 'PATCH', body: '' }),
    refused('409 capture_off', 'POST /capture/mark'),
    refused('500 capture_alloc_failed', 'PUT /config', { body: { capture: true } }, memory(1024)),
    refused('400 invalid_json', 'PUT /config', { body: '{' }, async (node) => {
      plenty(node);
      await node.kernel.config.patch({ capture: true });
    }),
    ...generic(pairsOf('invalid_json'), { body: '{' }),
    ...generic(
      pairsOf('invalid_body').filter(({ route }) => route !== 'POST /update'),
      HUGE,
    ),
  ]),
  situation('a request of the wrong shape', [
    ...all('422 invalid_command', [...COMMANDS, 'POST /compose', 'POST /restart', 'POST /jobs/settle'], { body: {} }),
    refused('404 not_found', 'POST /jobs/settle', { body: { seq: 0, printed: true } }),
    ...generic(pairsOf('invalid_config'), { body: { nope: 1 } }),
    refused('422 invalid_provision', 'POST /network', { body: {} }),
    refused('400 band_unsupported', 'POST /network', { body: { ssid: 'Shop', password: '', band: '5' } }),
    refused('422 unknown_endpoint', 'POST /print', { body: { type: 'print', id: 'p', endpoint: 'bar', lines: LINES } }),
    refused('422 unknown_endpoint', 'POST /raw', { body: { type: 'raw', id: 'r', endpoint: 'bar', data: 'QQo=' } }),
    refused('422 unknown_endpoint', 'POST /drawer/kick', { body: { type: 'drawer_kick', id: 'k', endpoint: 'bar' } }),
    refused('409 unknown_endpoint', 'POST /compose', { body: { id: 'c', endpoint: 'bar', prompt: 'Hello' } }),
    refused('422 unsupported_line_type', 'POST /print', print([{ type: 'hologram' }])),
    refused('422 invalid_command', 'POST /print', print([])),
    refused('422 render_too_large', 'POST /print', print(BANNERS)),
    refused('422 render_too_large', 'POST /print', print(FEEDS)),
    refused('422 invalid_command', 'POST /preview', { body: { lines: [] } }),
    refused('422 unsupported_line_type', 'POST /preview', { body: { lines: [{ type: 'hologram' }] } }),
    refused('422 render_too_large', 'POST /preview', { body: { lines: BANNERS } }),
    refused('422 unknown_endpoint', 'POST /preview', { body: { endpoint: 'bar', lines: LINES } }),
    refused('422 render_too_large', 'POST /raw', {
      body: { type: 'raw', id: 'r', endpoint: 'receipt', data: Buffer.alloc(8193).toString('base64') },
    }),
    refused('409 cloud_not_configured', 'POST /compose'),
    refused('409 cloud_not_configured', 'PUT /update', { body: { check: true } }),
    refused('409 update_disabled', 'PUT /update', { body: { enabled: false, check: true } }),
  ]),
  situation('a node short of memory', [
    refused('409 render_alloc_failed', 'POST /print', {}, memory(100)),
    refused('409 render_alloc_failed', 'POST /preview'),
    refused('503 render_alloc_failed', 'POST /raw'),
    ...all('500 persist_failed', ['GET /camera', 'GET /peers', 'GET /scans']),
    refused('500 record_alloc_failed', 'GET /devices/unknown'),
    refused('500 persist_failed', 'GET /devices/unknown', {}, memory(1536 * 1024)),
  ]),
  situation(
    'a disk that is full',
    [
      refused('500 save_failed', 'POST /network'),
      ...all('500 persist_failed', ['POST /identity/renew', 'POST /jobs/settle']),
      ...all('500 persist_failed', COMMANDS, KEYED),
      ...generic(
        pairsOf('persist_failed').filter(({ route }) => !route.startsWith('GET ')),
        {},
      ),
      // What is not there cannot be taken away.
      refused('404 not_found', 'DELETE /bootlog/boots', {}, async (node) => {
        node.storage.failure = undefined;
        await send(node, 'DELETE /bootlog/boots');
      }),
      refused('404 not_found', 'DELETE /bootlog/crash', {}, (node) => send(node, 'DELETE /bootlog/crash')),
    ],
    () => arranged(diskFails),
  ),
  situation('a locked node without its key', [
    refused('401 api_locked', 'PUT /config', {}, ({ kernel }) =>
      kernel.config.patch({ apiMode: 'strict', apiKey: 'correct horse battery' }),
    ),
    ...generic(pairsOf('api_locked'), {}),
    refused('401 ota_locked', 'POST /update', upload(imageFor('camera'), { Authorization: 'Bearer no' })),
    refused('401 ota_locked', 'PUT /update', {
      body: { updateKey: 'another-update-key-1' },
      headers: { 'X-NODE-Api-Key': 'correct horse battery' },
    }),
  ]),
  ofTwin('a twin above open, without the key', [
    ...generic(pairsOf('api_locked', 'twin').filter(isTwins), {}).map((each) => ({
      ...each,
      ask: async (node: Shop) => {
        await node.kernel.config.patch({ apiKey: 'correct horse battery', apiMode: 'strict' });
        return each.ask(node);
      },
    })),
  ]),
  situation('nothing plugged in', [
    ...all('409 no_printer', ['POST /print', 'POST /raw'], {}, unplug),
    refused('409 no_drawer', 'POST /drawer/kick'),
    ...all('409 no_camera', ['GET /camera/frame', 'GET /camera/stream', 'PUT /camera/config']),
  ]),
  situation('a printer that takes nothing', all('409 write_failed', COMMANDS, {}, jam)),
  situation('a printer of another language', [refused('409 unsupported_command_set', 'POST /print')], () =>
    startShop({ printer: ZEBRA }),
  ),
  situation('a camera that fails', [
    refused('409 capture_failed', 'GET /camera/frame', {}, ({ bench }) =>
      Object.assign(bench.devices.get('camera') ?? {}, { condition: 'failing' }),
    ),
    refused('409 capture_failed', 'PUT /camera/config'),
  ]),
  situation('a camera that is watched', [refused('409 stream_busy', 'GET /camera/stream', {}, open('/camera/stream'))]),
  situation('events that as many listen to as can', [
    refused('503 no_slots', 'GET /events', {}, async (node) => {
      for (let n = 0; n < 4; n += 1) await open('/events')(node);
    }),
  ]),
  situation('events that are listened to', [
    refused('503 no_slots', 'GET /camera/stream', {}, async (node) => {
      for (let n = 0; n < 3; n += 1) await open('/events')(node);
    }),
  ]),
  situation('a node that many commands of this client wait in', all('409 busy', COMMANDS, {}, crowd)),
  situation(
    'a node of which only the connections are left that are kept',
    [
      refused('409 busy', 'POST /update', upload(imageFor('camera'))),
      ...generic(
        additionalPairs('camera').filter(({ code, route }) => code === 'busy' && route !== 'POST /update'),
        {},
      ),
    ],
    () => startShop({ limits: { connections: 0 } }),
  ),
  ofTwin(
    'a twin of which only the connections are left that are kept',
    generic(
      additionalPairs('twin').filter((pair) => pair.code === 'busy' && isTwins(pair)),
      {},
    ),
    () => startShop({ variant: 'twin', limits: { connections: 0 } }),
  ),
  situation(
    'a key of another request',
    all('422 idempotency_mismatch', [...COMMANDS, 'POST /compose'], KEYED, otherRequest),
  ),
  situation('a key that is under way', inUse([...COMMANDS, 'POST /compose'])),
  situation(
    'a node that composes on a full disk',
    [refused('500 persist_failed', 'POST /compose', KEYED, diskFails)],
    composed(LINES),
  ),
  situation('a node that restarts', all('503 restarting', [...COMMANDS, 'POST /preview'], {}, restarting)),
  situation(
    'a cloud that answers strangely',
    [refused('422 unsupported_line_type', 'POST /compose')],
    composed([{ type: 'hologram' }]),
  ),
  situation('a cloud that answers too much', [refused('422 render_too_large', 'POST /compose')], composed(BANNERS)),
  situation(
    'a cloud that composes',
    [
      refused('409 write_failed', 'POST /compose', {}, jam),
      refused('409 busy', 'POST /compose', {}, crowd),
      refused('409 no_printer', 'POST /compose', {}, unplug),
      refused('500 compose_failed', 'POST /compose', {}, memory(1024)),
    ],
    composed(LINES),
  ),
  situation('a cloud that refuses', [refused('502 compose_failed', 'POST /compose')], () => withCloud(reply(401))),
  situation(
    'memory that runs out while the cloud composes',
    [refused('409 render_alloc_failed', 'POST /compose')],
    async () => {
      const held: { node?: Shop } = {};
      held.node = await withCloud((socket, received) => {
        if (held.node !== undefined) held.node.host.memory = 1024;
        reply(200, { lines: LINES })(socket, received);
      });
      return held.node;
    },
  ),
  situation('settings that had to be erased', [refused('409 custody_hold', 'PUT /cloud')], async () =>
    startShop({ storage: await storageWith({ erased: true }) }),
  ),
  ofTwin('a twin, asked strangely', [
    ...generic(pairsOf('method_not_allowed', 'twin').filter(isTwins), { method: 'PATCH', body: '' }),
    ...generic(pairsOf('invalid_json', 'twin').filter(isTwins), { body: '{' }),
    refused('413 body_too_large', 'POST /capture/mark', HUGE, ({ kernel }) => kernel.config.patch({ capture: true })),
    ...generic(pairsOf('body_too_large', 'twin'), HUGE),
    refused('422 wrong_endpoint_kind', 'POST /print', {
      body: { type: 'print', id: 'p', endpoint: OTHER_KIND, lines: LINES },
    }),
    refused('422 wrong_endpoint_kind', 'POST /raw', {
      body: { type: 'raw', id: 'r', endpoint: OTHER_KIND, data: 'QQo=' },
    }),
    refused('422 wrong_endpoint_kind', 'POST /drawer/kick', {
      body: { type: 'drawer_kick', id: 'k', endpoint: OTHER_KIND },
    }),
    ...benchAt('422 wrong_endpoint_kind', OTHER_KIND),
    ...benchAt('422 unknown_endpoint', 'bar'),
    ...all('409 cover_open', ['POST /print', 'POST /raw'], {}, ({ printer }) => printer.set({ cover: 'open' })),
    ...all('409 paper_out', ['POST /print', 'POST /raw'], {}, ({ printer }) =>
      printer.set({ cover: 'closed', paper: 'out' }),
    ),
    refused('409 no_scale', 'PUT /twin/scale', {}, (node) => node.unplug('scale', 'scanner')),
    refused('409 no_scanner', 'POST /twin/scan'),
  ]),
  ofTwin(
    'a twin with a command of the same id in flight',
    all('409 conflict', [...COMMANDS, 'POST /compose']).map((each) => ({
      ...each,
      ask: (node: Shop) => {
        const body = { ...(GOOD[each.route]?.body as object), id: 'same' };
        return send(node, each.route, { body });
      },
    })),
    async () => {
      const node = await withCloud(reply(200, { lines: LINES }), { variant: 'twin' });
      node.printer.set({ slow: 200 });
      const lines = [{ type: 'text', value: 'x'.repeat(1000) }];
      const started = node.printer.paperBytes().length;
      void send(node, 'POST /print', { body: { type: 'print', id: 'same', endpoint: 'receipt', lines } }).catch(
        () => {},
      );
      await until(() => node.printer.paperBytes().length > started);
      return node;
    },
  ),
  // What the node answers beside the table.
  situation('a foreign page, a foreign name, a frame that is doubtful', doubtful('camera')),
  ofTwin('a twin, a foreign page, a foreign name, a frame that is doubtful', doubtful('twin')),
  situation(
    'a node that composes and restarts',
    [refused('503 restarting', 'POST /compose', {}, restarting)],
    composed(LINES),
  ),
  situation(
    'a node that composes for a printer of another language',
    [refused('409 unsupported_command_set', 'POST /compose')],
    () => withCloud(reply(200, { lines: LINES }), { printer: ZEBRA }),
  ),
  ofTwin(
    'a twin that composes for a printer that cannot print',
    [
      refused('409 cover_open', 'POST /compose', {}, ({ printer }) => printer.set({ cover: 'open' })),
      refused('409 paper_out', 'POST /compose', {}, ({ printer }) => printer.set({ cover: 'closed', paper: 'out' })),
    ],
    () => withCloud(reply(200, { lines: LINES }), { variant: 'twin' }),
  ),
  ofTwin('the bench of a twin, asked for what it has not', [
    ...generic(
      additionalPairs('twin').filter(({ code }) => code === 'invalid_config'),
      { body: { nope: 1 } },
    ),
    ...generic(
      additionalPairs('twin').filter(({ code }) => code === 'no_adapter'),
      {},
    ),
    ...all('422 invalid_command', ['POST /twin/scan', 'POST /twin/button', 'POST /twin/action'], { body: { nope: 1 } }),
  ]),
];

function doubtful(variant: VariantName): Case[] {
  const names = routesOf(variant).map(({ method, path }) => `${method} ${path}`);
  return [
    ...all('421 host_refused', names, { headers: { Host: 'evil.example' } }),
    ...all('403 origin_refused', names, { headers: { Origin: 'http://evil.example' } }),
    ...all('417 expectation_failed', names, { headers: { Expect: '200-ok' } }),
    ...all('400 invalid_body', names, { headers: { 'X-NODE-Api-Key': ['one', 'two'] } }),
  ];
}

/** Situations of the node and those that rooms bring, with what the rooms of this tree serve. */
export const SITUATIONS: readonly Situation[] = [
  ...OF_THE_NODE,
  ...(await fromMirrors<{ readonly SITUATIONS: readonly Situation[] }>('situations.ts')).flatMap((of) => of.SITUATIONS),
]
  .map((each) => {
    const served = new Set(['unrouted', ...routesOf(each.variant).map(({ method, path }) => `${method} ${path}`)]);
    return { ...each, cases: each.cases.filter(({ route }) => served.has(route)) };
  })
  .filter(({ cases }) => cases.length > 0);
