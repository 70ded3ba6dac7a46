/** Beside every image stands what is inside: as many packages as have their notices in it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { debianComponent, npmComponents, sbomOf } from '../../runtime/assembly/licenses/sbom.ts';

describe('the list of what is inside', () => {
  it.each(['wifi', 'station-hub', 'camera', 'twin'])('of the image %s has every package of its notices', (variant) => {
    const path = `dist/${variant}/tillnode-${variant}-${pkg.version}.cdx.json`;
    const document = JSON.parse(readFileSync(path, 'utf8'));
    expect(document).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { type: 'firmware', name: `tillnode-${variant}`, version: pkg.version } },
    });
    const notices = readFileSync(`dist/${variant}/licenses.txt`, 'utf8');
    expect(notices.match(/^== /gm)).toHaveLength(document.components.length);
    expect(document.components).toContainEqual(
      expect.objectContaining({ name: 'ajv', licenses: [{ expression: 'MIT' }] }),
    );
  });

  it('names packages by package URL, whatever is in their names and versions', () => {
    expect(debianComponent('libstdc++6', '1:12.2.0-14+deb12u1', 'amd64', 'bookworm').purl).toBe(
      'pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14%2Bdeb12u1?arch=amd64&distro=bookworm',
    );
    const notices = '== @noble/hashes 2.4.0: MIT\n== HarfBuzz 15.0.0: MIT-Modern-Variant\n';
    expect(npmComponents(notices).map(({ purl }) => purl)).toEqual([
      'pkg:npm/%40noble/hashes@2.4.0',
      'pkg:generic/harfbuzz@15.0.0',
    ]);
  });

  it('is the same text whatever the order of its parts', () => {
    const parts = npmComponents('== a 1.0.0: MIT\n== b 2.0.0: ISC\n');
    expect(sbomOf({ name: 'x', version: '1.0.0' }, parts)).toBe(
      sbomOf({ name: 'x', version: '1.0.0' }, parts.toReversed()),
    );
  });

  it('has a serial number of its own, a UUID that any build of the same parts has, too', () => {
    const numberOf = (version: string) =>
      String(JSON.parse(sbomOf({ name: 'x', version }, npmComponents('== a 1.0.0: MIT\n'))).serialNumber);
    // As the schema of CycloneDX 1.5 has it; version 8, and the variant of RFC 9562.
    expect(numberOf('1.0.0')).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(numberOf('1.0.0')).toBe(numberOf('1.0.0'));
    expect(numberOf('1.0.0')).not.toBe(numberOf('1.0.1'));
  });
});
