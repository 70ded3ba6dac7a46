/** `npm run new -- recording FILE`: what hangs on a serial line is what its codec declares, whichever room brought it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type CodecDeclaration, defineCodec } from '../../codecs/codec.ts';
import { PROTOCOLS, SERIAL_SCALE_CODECS } from '../../codecs/serial-scales.ts';
import { newRecording } from '../../runtime/new/new-recording.ts';
import type { Certificate } from '../../runtime/recipes/certificate.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tillnode-recording-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'test/field/devices'), { recursive: true });
});

/** The case that is made of a device which this codec drove, and which weighed in kilograms. */
function caseOf(codec: string, known: readonly CodecDeclaration[]) {
  const certificate: Certificate = {
    format: 'tillnode-certificate-1',
    node: { variant: 'twin', firmwareVersion: '0.1.0' },
    endpoint: 'scale',
    drivenBy: { id: 'assigned', tier: 'derived' },
    config: {},
    answers: {},
    facts: {},
    row: { vendorId: '0403', productId: '6001', make: 'Acme', model: codec, kind: 'scale', codec, options: {} },
    device: { descriptors: '', strings: { make: '', model: '' }, reportDescriptors: {}, reports: [] },
    report: [],
    steps: [{ id: 'replug' }, { id: 'coin', saw: { weight: 0.237, unit: 'kg' } }],
    recording: '',
  };
  const file = join(root, 'certificate.json');
  writeFileSync(file, JSON.stringify(certificate));
  const said = newRecording(root, file, new Map(known.map((each) => [each.name, each])));
  const [, path = ''] = /^wrote (\S+)/.exec(said) ?? [];
  return JSON.parse(readFileSync(join(root, path), 'utf8')).devices[0] as { readonly assigned?: object };
}
const onALine = (name: string, line: CodecDeclaration['onSerialLine']) =>
  defineCodec({ name, kind: 'scale', options: {}, ...(line && { onSerialLine: line }) });

it.each<[string, CodecDeclaration['onSerialLine'], object | undefined]>([
  ['says its unit', {}, { kind: 'scale', protocol: 'acme' }],
  ['has messages without a unit', { unitless: true }, { kind: 'scale', protocol: 'acme', unit: 'kg' }],
  ['is known by its ids', undefined, undefined],
])('a device of a codec from outside that %s is assigned so', (_, line, assigned) => {
  expect(caseOf('acme', [onALine('acme', line)]).assigned).toEqual(assigned);
});

it('a device whose codec no room has becomes no case', () => {
  expect(() => caseOf('acme', [onALine('other', {})])).toThrow('row: no room of this tree has the codec acme');
});

it.each(SERIAL_SCALE_CODECS)('the codec $name says of a unit what its protocol does', ({ name, onSerialLine }) => {
  const { unitless }: { readonly unitless?: true } = onSerialLine;
  expect(unitless).toBe(PROTOCOLS[name].unitless);
});
