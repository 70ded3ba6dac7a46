/** What a certificate has of the device itself, and the case of the public record that is made of it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseReportDescriptor } from '../../codecs/hid-report.ts';
import { parseDescriptors } from '../../codecs/usb-descriptor.ts';
import { CODES } from '../../plugins/scanner/certify.ts';
import { withoutValues } from '../../runtime/certify/device.ts';
import { main } from '../../runtime/new/new-cli.ts';
import { type FieldCase, play } from '../field/case.ts';
import { hex } from '../field/device.ts';
import { until } from '../node.ts';
import { startCounter } from './counter.ts';
import { KINDS, roomOf } from './stages.ts';

const MINUTE = 60_000;
const SERIAL = 'ZX-4711-0815';
const hexOf = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('hex');

describe.each(KINDS)('the certificate of a %s', { timeout: 2 * MINUTE }, (kind) => {
  it('becomes a case of the public record, which is right', async () => {
    const root = mkdtempSync(join(tmpdir(), 'tillnode-field-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'test/field/devices'), { recursive: true });
    const { client, certify } = await startCounter();
    const { name } = roomOf(kind).plugin;
    const replug = async () => {
      const { devices } = await client.twin.devices();
      const { vendorId = '', productId = '' } = devices.find((each) => each.name === name) ?? {};
      await client.twin.attach({ device: name, vendorId, productId, serial: SERIAL });
      await until(
        () => client.status(),
        ({ peripherals }) => peripherals.some(({ device }) => device?.serial === SERIAL),
      );
    };
    const certificate = await certify(kind, { instead: { replug } });
    const file = join(root, 'certificate.json');
    writeFileSync(file, JSON.stringify(certificate));
    const said: string[] = [];
    const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
    expect(await main(['recording', file], output, root), said.join('')).toBe(0);

    const [, path = ''] = /^wrote (\S+)/.exec(said.join('')) ?? [];
    const field = JSON.parse(readFileSync(join(root, path), 'utf8')) as FieldCase;
    const parsed = parseDescriptors(hex(field.devices[0]?.descriptors ?? ''));
    expect(parsed).toMatchObject({ ok: true, value: { vendorId: certificate.row.vendorId } });
    for (const text of [SERIAL, hexOf(SERIAL, 'latin1'), hexOf(SERIAL, 'utf16le')])
      expect(JSON.stringify([certificate, field])).not.toContain(text);
    const reports = certificate.device?.reports.join(' ');
    for (const { value } of CODES) expect(reports).not.toContain(hexOf(value, 'latin1'));
    expect(await play(field), field.says).toMatchObject(field.expect);

    expect(await main(['recording', file], output, root)).toBe(1);
    expect(said.join('')).toContain('is there already');
  });
});

describe('a report', () => {
  const keyboard = parseReportDescriptor(
    hex(
      '05010906a101050719e029e71500250175019508810295017508810395057501050819012905910295017503910395067508150025650507190029658100c0',
    ),
  );

  it('keeps which keys it has, and loses which letters and digits they were', () => {
    expect(keyboard.ok).toBe(true);
    if (!keyboard.ok) return;
    const masked = withoutValues(hex('020017212f5b2800'), keyboard.value);
    expect(Buffer.from(masked).toString('hex')).toBe('0200041e2f592800');
  });

  it('of no page that is known keeps its length alone', () => {
    const vendor = parseReportDescriptor(hex('0600ff0901a10109011500260f007508950481 02c0'));
    expect(vendor.ok && withoutValues(hex('31323334'), vendor.value)).toEqual(new Uint8Array(4));
  });
});
