/** The fleet: the other end that nodes call, put together in a process. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { Type } from '@sinclair/typebox';
import pkg from '../../package.json' with { type: 'json' };
import { open } from '../base/schema.ts';
import type { BuiltDocument } from '../http/document.ts';
import type { Codecs } from '../recipes/row.ts';
import { alertRoutes } from './alerts/routes.ts';
import { auditRoutes } from './audit/audit.ts';
import { Composer } from './compose/compose.ts';
import { composeRoutes } from './compose/routes.ts';
import { clockOf } from './database/clock.ts';
import { Away, type Queries, type Where } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import { makePartitions } from './database/partitions.ts';
import { Bucket } from './firmware/bucket.ts';
import type { BucketOptions } from './firmware/bucket-options.ts';
import { Fetching } from './firmware/fetching.ts';
import { fillBucket } from './firmware/fill.ts';
import { Gate, gated, refusing } from './firmware/gate.ts';
import { Images } from './firmware/images.ts';
import { KnownImages } from './firmware/known.ts';
import { moveImages } from './firmware/move.ts';
import { firmwareRoutes } from './firmware/routes.ts';
import { historyRoutes } from './history/routes.ts';
import { createApp } from './http/app.ts';
import { openapi } from './http/openapi.ts';
import { pageRoute } from './http/page.ts';
import { Places } from './http/places.ts';
import { PASSED, type Route, route } from './http/routes.ts';
import { createFleetServer, Sockets } from './http/sockets.ts';
import { sparing } from './http/sparing.ts';
import { targetsOf } from './http/targets.ts';
import { watchDoor } from './ingest/door.ts';
import { Ingest } from './ingest/ingest.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { metricsRoutes } from './metrics/metrics.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { summaryRoutes } from './nodes/summary.ts';
import { recipeRoutes } from './recipes/routes.ts';
import { rolloutRoutes } from './rollouts/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { NodeTokens } from './sign-in/node-tokens.ts';
import { OpenId, type OpenIdOptions, roleNowOf } from './sign-in/openid.ts';
import { PASSWORD_COST, type PasswordCost } from './sign-in/password.ts';
import { peopleRoutes } from './sign-in/people-routes.ts';
import { Renewals } from './sign-in/renewals.ts';
import { openIdRoutes, sessionRoutes, whoAsks } from './sign-in/routes.ts';
import { siteRoutes } from './sites/routes.ts';
import { Watch } from './watch/watch.ts';

/** Connections that wait to be accepted: thousands may come at once, and what is dropped comes again after a second or three. */
const BACKLOG = 4096;

/** How a fleet is started. */
export interface FleetOptions {
  /** The master token: operators show it, and each node it or its own, which follows from it. */
  readonly token: string;
  /** The master token before that, which still counts while nodes and programs get the new one; '' for none. */
  readonly tokenBefore?: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly database: Where;
  /** The folder of images, which all processes of a fleet share unless there is a bucket; beside the folder of the database unless given. */
  readonly images?: string;
  /** Where images are kept, too, and come from where they are not in the folder. */
  readonly bucket?: BucketOptions | undefined;
  /** X-Forwarded-For tells the address of a client. */
  readonly behindProxy?: boolean;
  /** Where people sign in; with the local password where it is left out. */
  readonly openid?: OpenIdOptions | undefined;
  /** What the hash of a new local password costs; that of a fleet in the world unless given. */
  readonly passwordCost?: PasswordCost | undefined;
  /** From one look at states and alerts to the next, in ms; 2000 unless given. */
  readonly lookMs?: number | undefined;
  /** The page of operators, as the build makes it; without it there is the API alone. */
  readonly page?: BuiltDocument | undefined;
  /** The codecs whose options it checks in rows of recipes; rows of any other are taken as they are, and the nodes that have it check them. */
  readonly codecs?: Codecs;
  /** Faults of the fleet itself and of its database; to standard error unless given. */
  readonly report?: (error: Error) => void;
}

/** A fleet that runs. */
export interface Fleet {
  readonly url: string;
  /** What it answers on. */
  readonly server: Server;
  /** Takes nothing more in, stores what it has, and closes. */
  stop(): Promise<void>;
}

/** Starts a fleet; resolves when it answers. Rejects if its database or its port cannot be had. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const {
    token,
    tokenBefore = '',
    host,
    port,
    images: folder = `${'folder' in options.database ? options.database.folder : '.fleet'}.images`,
    behindProxy = false,
    openid,
    passwordCost = PASSWORD_COST,
    page,
    codecs = new Map(),
    report: told = (error) => process.stderr.write(`${error.message}\n`),
  } = options;
  const report = sparing(told);
  const database = await openDatabase(options.database);
  const server = createFleetServer();
  const refuses = targetsOf(() => (server.address() as AddressInfo | null)?.port);
  const bucket = options.bucket && new Bucket(options.bucket, refuses);
  const images = new Images(folder, bucket);
  await images.open();
  try {
    // There is a place for what comes in before it comes.
    await makePartitions(database, await clockOf(database));
    await moveImages(database, images);
  } catch (error) {
    // On a full disk it is read-only, and says so.
    if (!(error instanceof Away)) throw error;
    report(error);
  }
  const ingest = new Ingest(database.ingest, report);
  const masters = [token, ...(tokenBefore === '' ? [] : [tokenBefore])];
  const tokens = new NodeTokens(masters, database.ingest, roleNowOf(openid?.people));
  const provider = openid && new OpenId(openid);
  const renewals = provider && new Renewals(provider, masters);
  // Each less than the connections that are there: what operators change has the rest.
  const [questions, signIns, readers] = [new Places(3, 2), new Places(4, 2), new Places(5, 3)];
  const whoOf = whoAsks(masters, database, questions, provider, renewals);
  const gate = new Gate();
  const known = new KnownImages(database);
  const fetching = bucket && new Fetching({ images, bucket, report });
  const routes: Route[] = [
    ...ingestRoutes(tokens, ingest),
    ...nodeRoutes(database, tokens),
    ...summaryRoutes(database),
    ...siteRoutes(database),
    ...recipeRoutes(tokens, database, codecs),
    ...firmwareRoutes({ tokens, database, images, known, gate, fetching }),
    ...rolloutRoutes(database),
    ...composeRoutes(tokens, database, new Composer(refuses)),
    ...alertRoutes(database),
    ...historyRoutes(database),
    ...metricsRoutes(database, ingest, bucket),
    ...settingsRoutes(database, refuses),
    ...auditRoutes(database),
    ...sessionRoutes(whoOf, database, signIns, provider !== undefined, passwordCost),
    ...peopleRoutes(database, tokens, passwordCost),
  ];
  if (provider !== undefined && renewals !== undefined)
    routes.push(...openIdRoutes(database, provider, renewals, signIns, report));
  // Anybody may ask for it, and to write it takes eight milliseconds.
  const document = Buffer.from(JSON.stringify(openapi(routes, pkg.version)));
  routes.push(
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: 'anyone',
      summary: 'this document',
      response: open({ openapi: Type.String() }),
      handle({ context }) {
        context.type = 'json';
        context.body = document;
        return PASSED;
      },
    }),
  );
  // What a browser goes to, and no program.
  if (page !== undefined) routes.push(pageRoute(page));
  const sockets = new Sockets(server, refusing(gate, behindProxy));
  watchDoor(server, ingest.trouble);
  const app = createApp({ routes, whoOf, behindProxy, sockets, readers, report });
  const serve = sockets.serve(gated(gate, behindProxy, app.callback()));
  // With the second listener, Node leaves `100 Continue` to whoever knows who asks.
  server.on('request', serve).on('checkContinue', serve).listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  const name = `${hostname()} ${bound.address}:${bound.port}`;
  const askOfMakers = renewals && ((on: Queries) => renewals.askOfMakers(on));
  const watch = new Watch({ database, images, name, ingest, refuses, askOfMakers, report, lookMs: options.lookMs });
  const filled = bucket && fillBucket(database, images, bucket, report);
  return {
    url: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    server,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      bucket?.close();
      await ingest.close();
      await watch.stop();
      sockets.close();
      await closed;
      await Promise.all([filled, fetching?.end()]);
      await database.close();
    },
  };
}
