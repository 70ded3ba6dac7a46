import { describe, expect, it } from 'vitest';
import { NodeClient } from '../../../runtime/client/client.ts';
import { printsOnce, refused } from '../../client/refusals.ts';
import { serve } from '../../client/server.ts';

const command = { id: '1', endpoint: 'receipt' } as const;

describe('composing through the client', () => {
  printsOnce({ compose: (client) => client.compose({ ...command, prompt: 'closed', print: true }) });

  it('without printing cannot have printed', async () => {
    const server = await serve((request) => request.socket.destroy());
    const error = await refused(new NodeClient({ url: server.url }).compose({ ...command, prompt: 'closed' }));
    expect([error.mayHavePrinted, error.retry]).toEqual([false, 'sometimes']);
    expect(server.requests).toHaveLength(1);
  });
});
