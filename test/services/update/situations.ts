/** How the error codes of the routes of this room are provoked, for the tests of the contract. */
import { connect } from 'node:net';
import { MAX_IMAGE_BYTES } from '../../../runtime/image/format.ts';
import { imageFor, upload } from '../../contract/requests.ts';
import { type Shop, send, startShop, UPDATE_KEY } from '../../contract/shop.ts';
import { type Arrange, type Case, refused, type Situation, situation } from '../../contract/situation.ts';
import { startReceiver } from '../../http/receiver.ts';
import { makeImage, sha256 } from '../../made-images.ts';
import { reply, routes, TOKEN } from '../cloud/node.ts';

/** A node that fetches this image when it is told to apply, and not before. */
const withOffer =
  (image: Uint8Array, digest = sha256(image), arrange: Arrange = () => {}) =>
  async (): Promise<Shop> => {
    const cloud = await startReceiver(
      routes({
        '/firmware': reply(200, { version: '9.8.7', length: image.length, sha256: digest, url: 'firmware/next.img' }),
        '/firmware/next.img': reply(200, image),
        '/heartbeat': reply(204),
      }),
    );
    const node = await startShop();
    await send(node, 'PUT /update', { body: { policy: 'off' } });
    await send(node, 'PUT /cloud', { body: { url: cloud.url, token: TOKEN } });
    await arrange(node);
    return node;
  };
const applied = (answer: string): Case => refused(answer, 'PUT /update', { body: { apply: true } });
const unlaunched = ({ kernel }: Shop) => void Object.assign(kernel.bindings.boot, { slots: undefined });
const slotsFail = ({ slots }: Shop) => {
  slots.before = () => {
    throw new Error('read-only file system');
  };
};

/** An upload whose sender closes its side too early. */
const cutShort: Case = {
  ...{ code: 'invalid_body', status: 400, route: 'POST /update' },
  ask: async (node) => {
    const image = imageFor('camera');
    const socket = connect({ port: Number(new URL(node.url).port), host: '127.0.0.1', allowHalfOpen: true });
    const fields = [`Authorization: Bearer ${UPDATE_KEY}`, `X-NODE-Image-Sha256: ${sha256(image)}`];
    const head = ['POST /update HTTP/1.1', 'Host: 127.0.0.1', ...fields, `Content-Length: ${image.length}`, '', ''];
    socket.end(Buffer.concat([Buffer.from(head.join('\r\n')), image.subarray(0, 900)]));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    const [top = '', text = ''] = answer.split('\r\n\r\n');
    return { status: Number(top.slice(9, 12)), headers: {}, text, type: /^Content-Type: (.*)$/im.exec(top)?.[1] ?? '' };
  },
};

/** Images that are sent or fetched, and are not taken. */
export const SITUATIONS: readonly Situation[] = [
  situation('an image that is not taken', [
    refused('422 image_invalid', 'POST /update', upload(imageFor('camera'), { 'Transfer-Encoding': 'chunked' })),
    refused('413 image_too_large', 'POST /update', {
      ...upload(imageFor('camera'), { 'Content-Length': String(MAX_IMAGE_BYTES + 1) }),
      body: '',
    }),
    refused('422 image_wrong_variant', 'POST /update', upload(imageFor('wifi'))),
    refused(
      '422 image_digest_mismatch',
      'POST /update',
      upload(imageFor('camera'), { 'X-NODE-Image-Sha256': '0'.repeat(64) }),
    ),
    cutShort,
    refused('500 ota_write_failed', 'POST /update', upload(imageFor('camera')), slotsFail),
  ]),
  situation('an image that waits for its restart', [
    refused('409 restart_pending', 'PUT /update', { body: { check: true } }, async ({ kernel }) => {
      const image = makeImage({ variant: 'camera' });
      const chunks = (async function* () {
        yield image;
      })();
      kernel.hooks.quiet.tapPromise('test', () => new Promise(() => {}));
      await kernel.settings.update((draft) => {
        draft['cloud'] = { url: 'http://127.0.0.1:1', heartbeatUrl: '', token: TOKEN, heartbeatSeconds: 600 };
      });
      await kernel
        .offered('update')
        ?.install({ length: image.length, sha256: sha256(image), anyVariant: false, chunks });
    }),
    refused('409 ota_busy', 'POST /update', upload(imageFor('camera'))),
    refused('409 ota_busy', 'PUT /update', { body: { boot: 'factory' } }),
  ]),
  situation('a cloud that is not there', [applied('502 cloud_unreachable')], async () => {
    const node = await startShop();
    await send(node, 'PUT /cloud', { body: { url: 'http://127.0.0.1:1', token: TOKEN } });
    return node;
  }),
  situation('a fetched image of nobody', [applied('422 image_invalid')], withOffer(Buffer.alloc(2000, 'x'))),
  situation('a fetched image for other hardware', [applied('422 image_wrong_variant')], withOffer(imageFor('wifi'))),
  situation(
    'a fetched image that is another',
    [applied('422 image_digest_mismatch')],
    withOffer(imageFor('camera'), '0'.repeat(64)),
  ),
  situation('a node without its launcher', [
    refused('409 no_launcher', 'POST /update', upload(imageFor('camera')), unlaunched),
  ]),
  situation(
    'a fetched image and no launcher',
    [applied('409 no_launcher')],
    withOffer(imageFor('camera'), undefined, unlaunched),
  ),
  situation(
    'slots that take nothing',
    [applied('500 ota_write_failed')],
    withOffer(imageFor('camera'), undefined, slotsFail),
  ),
];
