/** Clients share places, jobs and memory, and a job is that of the client that sent it (RFC 8011, 4.3 and 9.3). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../node.ts';
import { type IppNode, startIppNode } from './ipp-node.ts';
import {
  begin,
  CANCEL_JOB,
  CANCEL_MY_JOBS,
  CLOSE_JOB,
  CREATE_JOB,
  GET_JOB,
  GET_JOBS,
  GET_PRINTER,
  message,
  type Part,
  PRINT_JOB,
  SEND_DOCUMENT,
} from './messages.ts';
import { rowsOf, urf } from './pages.ts';

const [FORBIDDEN, BUSY] = [0x0401, 0x0507];
const [HELD, CANCELED, ABORTED, COMPLETED] = [4, 7, 8, 9];
const bar = urf({ width: 576, height: 20, ink: (x, y) => y === 10 && x < 5 });
const lastDocument: Part = [0x22, 'last-document', Buffer.from([1])];
let node: IppNode;
beforeAll(async () => {
  node = await startIppNode();
});
afterAll(() => node.stop());

const idIn = ({ values }: Awaited<ReturnType<IppNode['ask']>>) => values['job-id']![0] as number;
const create = async (address: string) => idIn(await node.askFrom(address, CREATE_JOB));
/** Opens a connection that sends nothing, or this. */
async function dial(localAddress: string, bytes?: Uint8Array): Promise<Socket> {
  const [host, port] = node.ipp.split(':') as [string, string];
  const socket = connect({ host, port: Number(port), localAddress }).on('error', () => {});
  await once(socket, 'connect');
  if (bytes !== undefined) socket.write(bytes);
  return socket;
}
/** A Print-Job of which `sent` has come, and the rest never does. */
const stalled = (address: string) => {
  const head = message(PRINT_JOB, [...begin(`ipp://${node.ipp}/ipp/print`)]);
  const length = head.length + 100_000;
  const http = `POST /ipp/print HTTP/1.1\r\nHost: x\r\nContent-Type: application/ipp\r\nContent-Length: ${length}\r\n\r\n`;
  return dial(address, Buffer.concat([Buffer.from(http), head, bar.subarray(0, 20)]));
};
const openJobs = async () => {
  const { values } = await node.askFrom('127.0.0.9', GET_JOBS, [[0x44, 'requested-attributes', 'job-id']]);
  return (values['job-id'] ?? []) as number[];
};
const end = async (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
  await until(openJobs, ({ length }) => length === 0);
};

it('two addresses that hold all connections, and send nothing, keep no third one away; nor does one that opens 500', async () => {
  const sockets = await Promise.all(
    ['127.0.0.2', '127.0.0.3'].flatMap((address) => Array.from({ length: 40 }, () => dial(address))),
  );
  for (let n = 0; n < 3; n += 1) expect((await node.askFrom('127.0.0.4', GET_PRINTER)).status).toBe(0);
  sockets.push(...(await Promise.all(Array.from({ length: 500 }, () => dial('127.0.0.2')))));
  expect((await node.askFrom('127.0.0.4', GET_PRINTER)).status).toBe(0);
  expect((await node.askFrom('127.0.0.2', GET_PRINTER)).status).toBe(0);
  await end(sockets);
});

it('a document that arrives is cut off for no connection of an address that has more', async () => {
  const upload = await stalled('127.0.0.4');
  await until(openJobs, ({ length }) => length === 1);
  const sockets = await Promise.all(Array.from({ length: 200 }, () => dial('127.0.0.2')));
  expect(await openJobs()).toHaveLength(1);
  expect(upload.destroyed).toBe(false);
  await end([upload, ...sockets]);
});

it('an address has as many jobs as it leaves to others, and one whose document does not come gives way', async () => {
  const first: number[] = [];
  for (let job = 0; job < 8; job += 1) first.push(await create('127.0.0.2'));
  expect((await node.askFrom('127.0.0.2', CREATE_JOB)).status).toBe(BUSY);
  const others = [
    '127.0.0.3',
    '127.0.0.3',
    '127.0.0.3',
    '127.0.0.3',
    '127.0.0.4',
    '127.0.0.4',
    '127.0.0.5',
    '127.0.0.6',
  ];
  const second: [string, number][] = [];
  for (const address of others) second.push([address, await create(address)]);
  const last = await create('127.0.0.7');
  const told = await node.askFrom('127.0.0.2', GET_JOB, [[0x21, 'job-id', first[0]!]]);
  expect(told.values['job-state']).toEqual([ABORTED]);
  expect((await node.askFrom('127.0.0.7', GET_JOB, [[0x21, 'job-id', last]])).values['job-state']).toEqual([HELD]);
  for (const [address, id] of [
    ...first.slice(1).map((id) => ['127.0.0.2', id] as const),
    ...second,
    ['127.0.0.7', last] as const,
  ])
    expect((await node.askFrom(address, CANCEL_JOB, [[0x21, 'job-id', id]])).status).toBe(0);
});

it('documents that two addresses begin and do not send keep no memory from a third one', async () => {
  const slow: Socket[] = [];
  // An address has a second one only while as much is left for others: each comes behind the one before.
  for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3']) {
    slow.push(await stalled(address));
    await until(openJobs, ({ length }) => length === slow.length);
  }
  const answer = once(slow[0]!, 'data') as Promise<[Buffer]>;
  node.printer.tearOff();
  expect((await node.askFrom('127.0.0.4', PRINT_JOB, [], bar)).status).toBe(0);
  // The one that gave way is told to come again.
  const [bytes] = await answer;
  expect(bytes.readUInt16BE(bytes.indexOf('\r\n\r\n') + 6)).toBe(BUSY);
  await end(slow);
  expect(rowsOf(node.printer.paperBytes())).toEqual(['#####']);
});

it('the document of a job comes from the client that made it, which alone closes it and cancels it', async () => {
  const [own, other] = ['127.0.0.2', '127.0.0.3'];
  const id = await create(own);
  const job: Part = [0x21, 'job-id', id];
  node.printer.tearOff();
  expect((await node.askFrom(other, SEND_DOCUMENT, [job, lastDocument], bar)).status).toBe(FORBIDDEN);
  expect((await node.askFrom(other, CLOSE_JOB, [job])).status).toBe(FORBIDDEN);
  expect((await node.askFrom(other, CANCEL_JOB, [job])).status).toBe(FORBIDDEN);
  expect((await node.askFrom(other, CANCEL_MY_JOBS)).status).toBe(0);
  expect((await node.askFrom(own, SEND_DOCUMENT, [job, lastDocument], bar)).status).toBe(0);
  await until(
    async () => (await node.askFrom(other, GET_JOB, [job])).values['job-state']?.[0],
    (state) => state === COMPLETED,
  );
  expect(rowsOf(node.printer.paperBytes())).toEqual(['#####']);
  const second = await create(own);
  expect((await node.askFrom(own, CANCEL_MY_JOBS)).status).toBe(0);
  expect((await node.askFrom(own, GET_JOB, [[0x21, 'job-id', second]])).values['job-state']).toEqual([CANCELED]);
});

it('nobody else is told the names of a job and of its user; what it is in the queue, everybody is', async () => {
  const [own, other] = ['127.0.0.2', '127.0.0.8'];
  const named: Part[] = [
    [0x42, 'job-name', 'secret plan'],
    [0x42, 'document-name', 'plan.pdf'],
  ];
  const id = idIn(await node.askFrom(own, CREATE_JOB, named));
  const all: Part = [0x44, 'requested-attributes', 'all'];
  const asked = [
    [GET_JOB, [[0x21, 'job-id', id], all]],
    [
      GET_JOB,
      [
        [0x21, 'job-id', id],
        [0x44, 'requested-attributes', 'job-name'],
      ],
    ],
    [GET_JOBS, [all]],
    [GET_JOBS, [[0x44, 'which-jobs', 'all'], all]],
  ] satisfies [number, Part[]][];
  for (const [operation, attributes] of asked) {
    const { values } = await node.askFrom(other, operation, attributes);
    expect(JSON.stringify(values)).not.toMatch(/secret|plan|"ann"/);
    expect(JSON.stringify(await node.askFrom(own, operation, attributes))).toContain('secret plan');
  }
  expect((await node.askFrom(other, GET_JOBS, [all])).values).toMatchObject({ 'job-id': [id], 'job-state': [HELD] });
  expect(
    (await node.askFrom(other, GET_JOBS, [[0x22, 'my-jobs', Buffer.from([1])], all])).values['job-id'],
  ).toBeUndefined();
  const { values } = await node.askFrom(other, GET_PRINTER);
  expect(values).toMatchObject({
    'job-privacy-attributes': ['job-name', 'job-originating-user-name'],
    'job-privacy-scope': ['owner'],
  });
  await node.askFrom(own, CANCEL_JOB, [[0x21, 'job-id', id]]);
});
