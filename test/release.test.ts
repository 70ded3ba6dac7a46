/** What a release is signed with, and which files its lists of what is inside are attested for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const text = readFileSync('.github/workflows/release.yml', 'utf8');
const jobs = new Map(
  text
    .slice(text.indexOf('\njobs:'))
    .split(/\n {2}(?=\w+:\n)/)
    .map((job) => [job.slice(0, job.indexOf(':')), job]),
);

it('a job that has a secret of the release runs in no container, unless its digest is named', () => {
  const holders = [...jobs.values()].filter((job) => /\bsecrets\./.test(job));
  expect(holders).toHaveLength(1);
  for (const job of holders) {
    const images = [...job.matchAll(/^ {4}container:\s*(?:image: )?(.*)$/gm)].map(([, image = '']) => image);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  }
});

it('each image and each disk of a release has its list of what is inside attested, before anything is attached', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bills = jobs.get('bills') ?? '';
  const [, run = ''] = /^ {8}run: (.*)$/m.exec(bills) ?? [];
  const starts = [...bills.matchAll(/- \{ variant: ([\w-]+)(?:, disk: ([\w-]+))? \}/g)].map(
    ([, VARIANT = '', DISK = '']) => {
      const GITHUB_OUTPUT = join(folder, VARIANT + DISK);
      execFileSync('bash', ['-euc', run], {
        env: { ...process.env, VARIANT, DISK, GITHUB_REF_NAME: 'v1.2.3', GITHUB_OUTPUT },
      });
      return readFileSync(GITHUB_OUTPUT, 'utf8').trimEnd();
    },
  );
  const build = jobs.get('build') ?? '';
  const [images = '', disks = ''] = [
    'cp dist/wifi/*.img ',
    'for variant in wifi station-hub; do\n            for arch',
  ].map((start) => build.slice(build.indexOf(start)).split('release/\n')[0]);
  const variants = [...images.matchAll(/dist\/([\w-]+)\/\*\.img/g)].map(([, name]) => name);
  const [, hosts = '', archs = ''] = /for variant in (.*); do\n\s+for arch in (.*?);/.exec(disks) ?? [];
  const expected = [
    ...variants.map((variant) => `start=release/tillnode-${variant}-1.2.3`),
    ...hosts
      .split(' ')
      .flatMap((variant) => archs.split(' ').map((arch) => `start=release/tillnode-${variant}-1.2.3-${arch}`)),
  ];
  expect(expected.length).toBeGreaterThan(5);
  expect(starts.toSorted()).toEqual(expected.toSorted());
  for (const end of ['cdx.json', 'img', 'img.zst', 'system'])
    expect(bills).toContain(`\${{ steps.files.outputs.start }}.${end}\n`);
  expect(jobs.get('attach')).toMatch(/^ {4}needs: \[.*\bbills\b.*\]$/m);
});
