/** `npm run fleet -- --token MASTER [--host H] [--port P] [--data DIR] [--database URL] [--behind-proxy]` */
import './steady-heap.ts';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../base/thrown.ts';
import { bucketOf } from './firmware/bucket-options.ts';
import { startFleet } from './fleet.ts';
import { PAGE, readPage } from './http/page.ts';
import { CODECS, readCodecs } from './recipes/codecs.ts';
import { OPENID_ARGUMENTS, openIdOf } from './sign-in/options.ts';
import { startTraces, wantsTraces } from './traces/opentelemetry.ts';

const USAGE = `usage: npm run fleet -- --token MASTER [--host 127.0.0.1] [--port 8090] [--data .fleet] [--database postgres://...] [--images DATA.images]
                     [--behind-proxy] [--openid https://... --openid-client ID --openid-people a@example.org,@example.org]
                     [--token-before MASTER, which counts as well while the master token is rotated]
                     [--bucket https://host/bucket, or FLEET_BUCKET, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION]
       The tokens may also be in FLEET_TOKEN and FLEET_TOKEN_BEFORE, the database in FLEET_DATABASE, and the secret of the OpenID client is in
       FLEET_OPENID_SECRET: arguments can be read by every user of a machine.
`;

function optionsOf(args: readonly string[], env: NodeJS.ProcessEnv) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      token: { type: 'string', default: env['FLEET_TOKEN'] ?? '' },
      'token-before': { type: 'string', default: env['FLEET_TOKEN_BEFORE'] ?? '' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8090' },
      data: { type: 'string', default: '.fleet' },
      database: { type: 'string', default: env['FLEET_DATABASE'] ?? '' },
      images: { type: 'string', default: '' },
      bucket: { type: 'string', default: env['FLEET_BUCKET'] ?? '' },
      'behind-proxy': { type: 'boolean', default: false },
      ...OPENID_ARGUMENTS,
    },
  });
  const { token, 'token-before': tokenBefore, host, port, data, database, images } = values;
  // What handed it on did not put its value there, and everybody knows these letters.
  if ([token, tokenBefore].some((each) => each.startsWith('$')))
    throw new Error('the master token begins with "$": that is the name of a variable, and not what it should hold');
  if (!/^[!-~]{1,256}$/.test(token)) throw new Error('--token is needed: up to 256 visible ASCII characters');
  if (!/^\d{1,5}$/.test(port)) throw new Error('--port is not a port');
  if (database !== '' && !/^postgres(ql)?:\/\//.test(database)) throw new Error('--database is not postgres://…');
  return {
    token,
    tokenBefore,
    host,
    port: Number(port),
    database: database === '' ? { folder: data } : { url: database },
    images: images === '' ? `${data}.images` : images,
    bucket: bucketOf(values.bucket, env),
    behindProxy: values['behind-proxy'],
    openid: openIdOf(values, env['FLEET_OPENID_SECRET'] ?? ''),
    page: readPage(join(import.meta.dirname, PAGE)),
    codecs: readCodecs(join(import.meta.dirname, CODECS)),
  };
}

async function main(): Promise<void> {
  if (process.argv.slice(2).some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(USAGE);
    return;
  }
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf(process.argv.slice(2), process.env);
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${USAGE.trimEnd()}`);
  }
  const endTraces = wantsTraces(process.env) ? await startTraces() : undefined;
  const fleet = await startFleet(options);
  process.stdout.write(`ready ${fleet.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(
      signal,
      () =>
        void fleet
          .stop()
          .then(endTraces)
          .then(() => process.exit(0)),
    );
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
