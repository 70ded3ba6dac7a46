/** A case of test/field out of a certificate: the device as it was on the bus, and what the node made of it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refused } from '../base/refused.ts';
import { readCertificate } from '../recipes/accept.ts';
import type { Certificate } from '../recipes/certificate.ts';
import { nameOf } from '../recipes/draft.ts';
import type { Codecs } from '../recipes/row.ts';

/**
 * Returns what was written, and how to play it. `codecs`: those of the rooms that play it. Throws `Refused`, and writes nothing, where
 * it cannot be a case.
 */
export function newRecording(root: string, file: string, codecs: Codecs): string {
  const certificate = readCertificate(file);
  const { device, row, endpoint, node } = certificate;
  if (device === undefined)
    throw new Refused('device: the certificate has no descriptors; certify it with this version');
  if (!codecs.has(row.codec)) throw new Refused(`row: no room of this tree has the codec ${row.codec}`);
  const name = nameOf(`${row.make} ${row.model}`);
  if (name === '') throw new Refused('row: no file can be named after its make and model');
  const path = `test/field/devices/certified-${name}.json`;
  if (existsSync(join(root, path))) throw new Refused(`${path} is there already`);
  const { vendorId, productId, make, model, kind, codec } = row;
  const field = {
    says: `${make} ${model}, a ${kind}, is driven by ${codec}.`,
    source: `certificate made ${node.variant === 'twin' ? 'on the twin: a virtual device' : 'with a real device'} (${node.firmwareVersion})`,
    devices: [{ ...device, ...assignedTo(certificate, codecs) }],
    expect: {
      peripherals: { [endpoint]: { condition: 'bound', device: { vendorId, productId }, recipe: { codec } } },
      rejections: {},
    },
  };
  writeFileSync(join(root, path), `${JSON.stringify(field, null, 2)}\n`, { flag: 'wx' });
  return `wrote ${path}\n\nadd what it must read:   scans or scale of \`expect\`; values in its reports are replaced\nplay it:                 npx vitest run --project unit test/field\n`;
}

/** What hung on a serial adapter, which its ids do not say; the unit is that of the weights, where messages have none. */
function assignedTo({ row: { codec }, steps }: Certificate, codecs: Codecs): object {
  const { kind, onSerialLine: line } = codecs.get(codec) ?? {};
  if (line === undefined) return {};
  const unit = line.unitless && steps.find(({ saw }) => saw?.['unit'])?.saw?.['unit'];
  return { assigned: { kind, protocol: codec, ...(unit ? { unit } : {}) } };
}
