/** For every route with a body one request that it takes. */
import { SHOP } from '../bindings/test-radio.ts';
import { makeImage, sha256 } from '../made-images.ts';
import { type Ask, IN_DOUBT, UPDATE_KEY } from './shop.ts';

const endpoint = 'receipt';
export const LINES = [{ type: 'text', value: 'Back at noon' }];

/** An image for the node, and the header fields that go with it. */
export const upload = (image: Uint8Array, headers: Ask['headers'] = {}): Ask => ({
  body: image,
  headers: { Authorization: `Bearer ${UPDATE_KEY}`, 'X-NODE-Image-Sha256': sha256(image), ...headers },
});
export const imageFor = (variant: string) => makeImage({ variant });

export const GOOD: Readonly<Record<string, Ask>> = {
  'POST /print': { body: { type: 'print', id: 'p', endpoint, lines: LINES } },
  'POST /preview': { body: { lines: LINES } },
  'POST /raw': { body: { type: 'raw', id: 'r', endpoint, data: 'QQo=' } },
  'POST /drawer/kick': { body: { type: 'drawer_kick', id: 'k', endpoint } },
  'POST /cgi-bin/epos/service.cgi': {
    body: '<epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print"><text>Back at noon&#10;</text></epos-print>',
  },
  'POST /compose': { body: { id: 'c', endpoint, prompt: 'Say that we are back at noon', print: true } },
  'POST /jobs/settle': { body: { seq: IN_DOUBT.seq, printed: true } },
  'PUT /config': { body: { printWidthCols: 48, capture: true } },
  'POST /network': { body: SHOP },
  'POST /provision': { body: SHOP },
  'PUT /network/ipv4': { body: { address: '192.168.1.9', netmask: '255.255.255.0' } },
  'POST /capture/mark': { body: { text: 'the till jams' } },
  'PUT /cloud': { body: { heartbeatSeconds: 600 } },
  'PUT /name': { body: { name: 'Bar' } },
  'PUT /update': { body: { policy: 'check' } },
  'POST /restart': { body: { type: 'restart', id: 'x' } },
  'PUT /camera/config': { body: { width: 320, height: 240 } },
  'POST /serial/try': { body: { port: '9-9' } },
  'PUT /twin/printer': { body: { drawer: 'closed' } },
  'PUT /twin/scale': { body: { grams: 250 } },
  'POST /twin/scan': { body: { value: '4006381333931', symbology: 'ean13' } },
  'POST /twin/button': { body: { name: 'b', holdMs: 100 } },
  'POST /twin/action': { body: { device: 'scale', action: 'tare' } },
  'POST /twin/attach': { body: { vendorId: 'abcd', productId: '0042', model: 'Gadget' } },
};
