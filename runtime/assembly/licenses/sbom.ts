/** Bills of materials (CycloneDX 1.5, ECMA-424): what is inside an image of the node or of a disk. */
import { createHash } from 'node:crypto';
import { defined } from '../../base/defined.ts';

/** One part. */
export interface Component {
  readonly type: 'library' | 'application' | 'operating-system' | 'firmware';
  readonly name: string;
  readonly version: string;
  /** Package URL (purl-spec). */
  readonly purl: string;
  /** SPDX expression, where it is known. */
  readonly license?: string;
}

/** A UUID that the same text has on every computer: of version 8 (RFC 9562, 5.8), out of its SHA-256. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The document as text. The same parts make the same text: it has no time stamp, and its serial number, without which
 * `actions/attest` takes it for no bill, is made of the rest of it.
 */
export function sbomOf(about: Pick<Component, 'name' | 'version'>, components: readonly Component[]): string {
  const sorted = [...components].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const rest = {
    version: 1,
    metadata: { component: { type: 'firmware', 'bom-ref': about.name, ...about } },
    components: sorted.map(({ license, ...component }) => ({
      'bom-ref': component.purl,
      ...component,
      ...(license !== undefined && { licenses: [{ expression: license }] }),
    })),
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(rest))}`;
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber, ...rest }, null, 2)}\n`;
}

/** A package of npm. */
export const npmComponent = (name: string, version: string, license?: string): Component => ({
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  ...defined({ license }),
});

/** The packages in an image of the node, and what they contain of others: each has its notice in `licenses.txt`. */
export const npmComponents = (licenses: string): Component[] =>
  [...licenses.matchAll(/^== (\S+) (\S+): (.+)$/gm)].map(([, name = '', version = '', license = '']) =>
    // What a package contains of others is under a name of its own, with capitals: names of npm have none.
    name === name.toLowerCase()
      ? npmComponent(name, version, license)
      : { type: 'library', name, version, purl: `pkg:generic/${name.toLowerCase()}@${version}`, license },
  );

/** What is of no registry. */
export const genericComponent = (name: string, version: string, license: string): Component => ({
  type: 'library',
  name,
  version,
  purl: `pkg:generic/${name}@${version}`,
  license,
});

/** A package of Debian. */
export const debianComponent = (name: string, version: string, arch: string, release: string): Component => ({
  type: 'library',
  name,
  version,
  purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=${release}`,
});
