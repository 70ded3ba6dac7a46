/** What whoever has the printer of the twin answers and does to certify it. */
import { once } from 'node:events';
import type { Person } from '../../certify/person.ts';
import { opened } from '../../node.ts';

export const PERSON: Person = {
  kind: 'printer',
  answers: {
    ...{ make: 'EPSON', model: 'TM-T20III', columns: '48', dots: '576', pages: 'epson', cut: 'clean', picture: 'yes' },
    ...{ symbols: 'both', drawer: 'yes', 'drawer-2': 'yes', 'drawer-5': 'no' },
  },
  moves({ client: { twin }, raw }) {
    const printer = async (change: Parameters<typeof twin.printer>[0]) => {
      await twin.printer(change);
      await readStatus(raw);
    };
    return {
      'drawer-seen': () => readStatus(raw),
      'drawer-closed': () => printer({ drawer: 'closed' }),
      'cover-open': () => printer({ cover: 'open' }),
      'cover-closed': () => printer({ cover: 'closed' }),
      'paper-out': () => printer({ paper: 'out' }),
      'paper-in': () => printer({ paper: 'ok' }),
    };
  },
};

/** DLE EOT 1 on port 9100 makes the node read the status of the printer at once. */
async function readStatus(raw: string): Promise<void> {
  const socket = await opened(raw);
  socket.end(Buffer.from([0x10, 4, 1]));
  socket.resume();
  await once(socket, 'close');
}
