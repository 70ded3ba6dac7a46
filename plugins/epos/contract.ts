/** The shapes of this room: its configuration, and the body of its route. */
import { type Static, Type } from '@sinclair/typebox';
import { closed } from '../../runtime/base/schema.ts';

export const Epos = closed({
  enabled: Type.Optional(
    Type.Boolean({ description: 'documents of ePOS-Print XML are printed (POST /cgi-bin/epos/service.cgi)' }),
  ),
});

/** A document of ePOS-Print XML, in a SOAP envelope or by itself. */
export const EposMessage = Type.String({
  $id: 'EposMessage',
  description: 'ePOS-Print XML, in a SOAP 1.1 envelope or not',
  examples: [
    '<epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print"><text>Back at noon&#10;</text></epos-print>',
  ],
});
export type EposMessage = Static<typeof EposMessage>;

declare module '../../runtime/kernel/registry.ts' {
  interface ConfigKeys {
    epos: Required<Static<typeof Epos>>;
  }
}
