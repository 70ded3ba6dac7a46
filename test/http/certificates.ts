/** Certificates that a test makes with openssl(1): an authority, and leaves signed by it or by nobody. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Leaf {
  readonly cert: string;
  readonly key: string;
}
export interface Authority {
  /** In PEM. */
  readonly cert: string;
  /** `names` as subjectAltName has them (DNS:a, IP:1.2.3.4); days from now, negative ones are past. */
  sign(names: string, from?: number, to?: number): Leaf;
  /** Signed by its own key alone. */
  selfSigned(names: string): Leaf;
  remove(): void;
}

const CONFIG = `
[ca]
default_ca = this
[this]
new_certs_dir = .
database = index.txt
rand_serial = yes
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = optional
[req]
distinguished_name = req
`;

export function createAuthority(): Authority {
  const cwd = mkdtempSync(join(tmpdir(), 'tillnode-ca-'));
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-config', 'ca.cnf'];
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  /** YYYYMMDDHHMMSSZ */
  const date = (days: number) =>
    `${new Date(Date.now() + days * 864e5).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  writeFileSync(join(cwd, 'ca.cnf'), CONFIG);
  writeFileSync(join(cwd, 'index.txt'), '');
  const constraint = ['-addext', 'basicConstraints=critical,CA:TRUE'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-subj',
    '/CN=test authority',
    ...constraint,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  return {
    cert: read('ca.pem'),
    sign(names, from = -1, to = 30) {
      const asked = [
        '-subj',
        '/CN=leaf',
        '-addext',
        `subjectAltName=${names}`,
        '-keyout',
        'leaf.key',
        '-out',
        'leaf.csr',
      ];
      openssl('req', ...newKey, ...asked);
      const dates = ['-startdate', date(from), '-enddate', date(to)];
      openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', ...dates, '-in', 'leaf.csr', '-out', 'leaf.pem');
      return { cert: read('leaf.pem'), key: read('leaf.key') };
    },
    selfSigned(names) {
      const asked = [
        '-subj',
        '/CN=self',
        '-addext',
        `subjectAltName=${names}`,
        '-keyout',
        'self.key',
        '-out',
        'self.pem',
      ];
      openssl('req', '-x509', ...newKey, ...asked);
      return { cert: read('self.pem'), key: read('self.key') };
    },
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
