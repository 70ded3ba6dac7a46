/** The shapes of this room: its configuration, and what it says of itself. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../runtime/base/schema.ts';

export const Ipp = closed({
  enabled: Type.Optional(Type.Boolean({ description: 'in strict mode it is closed all the same' })),
});

/** What this room adds to GET /status. */
export const IppStatus = open({
  ipp: open(
    {
      port: Type.Optional(Type.Integer({ description: 'while it listens' })),
      printers: Type.Array(
        open({
          endpoint: Type.String(),
          path: Type.String({ description: 'behind ipp://HOST:PORT' }),
          jobs: Type.Integer({ description: 'that wait or print' }),
        }),
      ),
    },
    { description: 'printing without a driver: IPP Everywhere and AirPrint' },
  ),
});

declare module '../../runtime/kernel/registry.ts' {
  interface ConfigKeys {
    ipp: Required<Static<typeof Ipp>>;
  }
  interface StatusBlocks {
    ipp: Static<typeof IppStatus>;
  }
}
