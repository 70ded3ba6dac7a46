/** The chart in runtime/fleet/deploy/helm: as Helm reads it, what comes of it by the types of Kubernetes, and the fleet in its pods. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { until } from '../node.ts';
import { folder, MASTER } from './fleet.ts';
import { faultsOf, helm, type KubernetesObject, noHelm, objectsOf } from './helm.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { bundleFleet } from './process.ts';

const DEPLOY = 'runtime/fleet/deploy';
const CHART = `${DEPLOY}/helm`;
/** What has to be said. */
const FEW = { image: { repository: 'registry.example/tillnode-fleet' }, secret: 'tillnode-fleet' };
/** What can be said. */
const ALL = {
  image: { ...FEW.image, tag: '0.2.0', pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'registry' }],
  secret: 'tillnode-fleet',
  replicas: 3,
  args: [
    '--behind-proxy',
    '--openid=https://id.example',
    '--openid-client=fleet',
    '--openid-people=a@example.org=owner,@example.org=viewer',
  ],
  extraEnv: [
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' },
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } } },
  ],
  images: { existingClaim: 'images', storageClassName: 'nfs', size: '50Gi' },
  service: { type: 'LoadBalancer' },
  ingress: {
    host: 'fleet.example.org',
    className: 'nginx',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '65m' },
    tlsSecret: 'fleet-tls',
  },
  networkPolicy: { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }] },
  serviceMonitor: { secret: 'fleet-metrics', labels: { release: 'prometheus' } },
  resources: { requests: { cpu: '2', memory: '1Gi' } },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'shops', operator: 'Exists', effect: 'NoSchedule' }],
};
/** What keeps images in a bucket. */
const BUCKET = { ...FEW, bucket: { url: 'https://s3.example.org/shop-images', region: 'eu-central-1' } };
/** What is made of each. */
const KINDS = ['PodDisruptionBudget', 'ServiceAccount', 'PersistentVolumeClaim', 'Service', 'Deployment'];
const ALL_KINDS = ['NetworkPolicy', ...KINDS.filter((kind) => !kind.includes('Claim')), 'Ingress', 'ServiceMonitor'];

const of = (objects: readonly KubernetesObject[], kind: string): KubernetesObject => {
  const found = objects.filter((each) => each.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!;
};
const podOf = (objects: readonly KubernetesObject[]) => of(objects, 'Deployment')['spec'].template;

/** A copy of the chart with these words in the place of others, in one file. */
function changed(name: string, word: string, other: string): string {
  const copy = join(folder(), 'helm');
  cpSync(CHART, copy, { recursive: true });
  const text = readFileSync(join(copy, name), 'utf8');
  expect(text).toContain(word);
  writeFileSync(join(copy, name), text.replace(word, other));
  return copy;
}

describe.skipIf(noHelm !== undefined)(noHelm ?? 'the Helm chart', () => {
  beforeAll(() => helm('version'), 300_000);

  it('has no complaint of `helm lint`, and the version of this tree', async () => {
    expect(await helm('lint', '--strict', CHART)).toContain('0 chart(s) failed');
    const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8');
    expect([...chart.matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, version]) => version)).toEqual([
      pkg.version,
      pkg.version,
    ]);
  });

  it.each([
    ['what has to be said', FEW, KINDS],
    ['all that can be said', ALL, ALL_KINDS],
    ['a bucket', BUCKET, KINDS.filter((kind) => !kind.includes('Claim'))],
    [
      'names that are numbers',
      { ...FEW, secret: '1', ingress: { host: '1', className: '2', tlsSecret: '3' } },
      [...KINDS, 'Ingress'],
    ],
  ])('makes objects of %s that are right by the types of Kubernetes', async (_, values, kinds) => {
    const objects = await objectsOf(CHART, values);
    expect(objects.map(({ kind }) => kind).sort()).toEqual([...kinds].sort());
    expect(faultsOf(objects)).toEqual([]);
  });

  it('would be wrong by those types with a word that is misspelled or of another type, in every object', async () => {
    const mistakes = [
      ['deployment', 'readinessProbe:', 'readynessProbe:'],
      ['deployment', 'readOnlyRootFilesystem: true', 'readOnlyRootFileSystem: true'],
      ['deployment', 'maxSkew: 1', 'maxSkew: one', "'string' is not assignable to type 'number'"],
      ['deployment', '  labels:', '  lables:'],
      ['deployment', '  selector:', '  selectors:'],
      ['service', 'targetPort:', 'target:'],
      ['serviceaccount', 'automountServiceAccountToken:', 'automountToken:'],
      ['images', 'accessModes:', 'accessMode:'],
      ['poddisruptionbudget', 'maxUnavailable:', 'maximumUnavailable:'],
      ['ingress', 'pathType: Prefix', 'typeOfPath: Prefix'],
      ['networkpolicy', 'policyTypes:', 'policyType:'],
      ['ingress', 'pathType: Prefix', '', 'pathType"\' is missing'],
      ['servicemonitor', 'credentials:', 'credential:'],
    ] as const;
    const objects: KubernetesObject[] = [];
    // Not all of them are made of the same values.
    for (const [name, word, other] of mistakes)
      objects.push(...(await objectsOf(changed(`templates/${name}.yaml`, word, other), name === 'images' ? FEW : ALL)));
    const faults = faultsOf(objects).join('\n');
    for (const [, , other, fault = `"${other.split(':')[0]?.trim()}"' does not exist`] of mistakes)
      expect(faults).toContain(fault);
  });

  it.each([
    ['no Secret', { image: FEW.image }, 'secret is needed'],
    ['no image', { secret: 'tillnode-fleet' }, 'image.repository is needed'],
    ['a word that there is not', { ...FEW, replica: 2 }, 'replica'],
    ['a word within that there is not', { ...FEW, ingress: { hosts: ['a'] } }, 'hosts'],
    ['a token in the place of a Secret', { ...FEW, secret: { FLEET_TOKEN: 'sesame' } }, '/secret'],
    ['a token on the command line', { ...FEW, args: ['--token=sesame'] }, '/args/0'],
    ['a token among the variables', { ...FEW, extraEnv: [{ name: 'FLEET_TOKEN', value: 'sesame' }] }, '/extraEnv/0'],
    ['a key among the variables', { ...FEW, extraEnv: [{ name: 'AWS_SECRET_ACCESS_KEY', value: 'x' }] }, '/extraEnv/0'],
    ['a bucket by plain HTTP', { ...FEW, bucket: { url: 'http://minio:9000/images' } }, '/bucket/url'],
    ['a bucket with a password', { ...FEW, bucket: { url: 'https://id:secret@s3.example/images' } }, '/bucket/url'],
    ['no process', { ...FEW, replicas: 0 }, '/replicas'],
    ['a number that is a text', { ...FEW, replicas: '2' }, '/replicas'],
    ['everybody as who may reach it', { ...FEW, networkPolicy: { from: [{}] } }, '/networkPolicy/from/0'],
  ])('refuses %s', async (_, values, said) => {
    await expect(objectsOf(CHART, values)).rejects.toThrow(said);
  });

  it('gives a pod no right that it does not need, and no secret but by its name', async () => {
    for (const values of [FEW, ALL]) {
      const objects = await objectsOf(CHART, values);
      const { spec } = podOf(objects);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(of(objects, 'ServiceAccount')).toMatchObject({ automountServiceAccountToken: false });
      const [fleet] = spec.containers;
      expect(fleet.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const named = fleet.env.filter(({ name }: { name: string }) => name.startsWith('FLEET_'));
      expect(named).toHaveLength(4);
      for (const { name, valueFrom } of named)
        expect(valueFrom.secretKeyRef).toEqual({
          name: 'tillnode-fleet',
          key: name,
          ...(/_BEFORE|OPENID/.test(name) && { optional: true }),
        });
      // All that finds pods finds these.
      const { labels } = podOf(objects).metadata;
      const deployment = of(objects, 'Deployment')['spec'];
      const selectors = [
        deployment.selector.matchLabels,
        spec.topologySpreadConstraints[0].labelSelector.matchLabels,
        of(objects, 'Service')['spec'].selector,
        of(objects, 'PodDisruptionBudget')['spec'].selector.matchLabels,
      ];
      for (const selector of selectors) {
        expect(Object.keys(selector)).toHaveLength(2);
        expect(labels).toMatchObject(selector);
      }
      expect(deployment).toMatchObject({
        replicas: values === ALL ? 3 : 2,
        strategy: { rollingUpdate: { maxUnavailable: 0 } },
      });
    }
  });

  it('gives a pod that has a bucket the key to it by name, and a folder of its own unless a claim is named', async () => {
    const { spec } = podOf(await objectsOf(CHART, BUCKET));
    const ofSecret = (key: string, more = {}) => ({
      name: key,
      valueFrom: { secretKeyRef: { name: 'tillnode-fleet', key, ...more } },
    });
    expect(spec.containers[0].env.slice(4)).toEqual([
      { name: 'FLEET_BUCKET', value: BUCKET.bucket.url },
      { name: 'AWS_REGION', value: BUCKET.bucket.region },
      ofSecret('AWS_ACCESS_KEY_ID'),
      ofSecret('AWS_SECRET_ACCESS_KEY'),
      ofSecret('AWS_SESSION_TOKEN', { optional: true }),
    ]);
    expect(spec.volumes).toEqual([{ name: 'images', emptyDir: { sizeLimit: '20Gi' } }]);
    const shared = podOf(await objectsOf(CHART, { ...BUCKET, images: { existingClaim: 'images', size: '20Gi' } }));
    expect(shared.spec.volumes).toEqual([{ name: 'images', persistentVolumeClaim: { claimName: 'images' } }]);
  });

  it('is installed by the lines of the README', async () => {
    const text = readFileSync(join(DEPLOY, 'README.md'), 'utf8');
    const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? [];
    const values = join(folder(), 'fleet.yaml');
    writeFileSync(values, yaml);
    expect(text).toMatch(/^helm upgrade --install fleet runtime\/fleet\/deploy\/helm .*--values fleet\.yaml$/m);
    const objects = await objectsOf(CHART, {}, '--values', values);
    expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...KINDS, 'Ingress']));
    const secret = podOf(objects).spec.containers[0].env[0].valueFrom.secretKeyRef.name;
    expect(text).toMatch(new RegExp(`^kubectl .*create secret generic ${secret} --from-env-file=`, 'm'));
  });

  it.skipIf(noPostgres)(
    'starts a program that takes its options, is asked what that serves, and is unready without its database, but alive',
    async () => {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      const [fleet] = podOf(await objectsOf(CHART, FEW)).spec.containers;
      const [, entrypoint = '[]'] =
        /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(DEPLOY, 'Containerfile'), 'utf8')) ?? [];
      const data = join(folder(), 'data');
      mkdirSync(data);
      expect(fleet.volumeMounts).toEqual([{ name: 'images', mountPath: '/data' }]);
      const here = (word: string) => word.replace(/^\/data/, data).replace('0.0.0.0', '127.0.0.1');
      const args = [...(JSON.parse(entrypoint) as string[]).slice(2), ...fleet.args].map(here);
      const program = await bundleFleet('runtime/fleet/main.ts', '.cache/fleet-helm/main.mjs');
      // Only what the pod gives it.
      const env = { PATH: process.env['PATH'], FLEET_TOKEN: MASTER, FLEET_DATABASE: await server.database() };
      const child = spawn(process.execPath, [program, ...args, '--port', '0'], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      const [ready] = await Promise.race([
        once(createInterface({ input: child.stdout }), 'line'),
        ended.then(() => Promise.reject(new Error('the fleet ended'))),
      ]);
      const url = String(ready).replace('ready ', '');
      const ask = async (probe: string) => {
        const { path, port } = fleet[probe].httpGet;
        expect(fleet.ports).toContainEqual({ name: port, containerPort: 8090 });
        const answer = await fetch(`${url}${path}`);
        await answer.arrayBuffer();
        return answer.status;
      };
      const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'];
      expect(await Promise.all(probes.map(ask))).toEqual([200, 200, 200]);
      await server.kill();
      await until(
        () => ask('readinessProbe'),
        (status) => status === 503,
      );
      expect(await Promise.all(probes.map(ask))).toEqual([200, 503, 200]);
      await server.start();
      await until(
        () => ask('readinessProbe'),
        (status) => status === 200,
      );
      // And ends by the signal of Kubernetes, in its time.
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );
});
