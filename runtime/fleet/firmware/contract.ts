/** Schemas of releases. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';
import { NodeId } from '../http/contract.ts';

/** The query of GET /firmware. */
export const FirmwareQuery = closed(
  {
    variant: Type.String({ maxLength: 64 }),
    version: Type.Optional(Type.String({ maxLength: 64, description: 'what runs' })),
    node: Type.Optional(NodeId),
  },
  { $id: 'FirmwareQuery' },
);

/** An image that was uploaded. */
export const Release = open(
  {
    variant: Type.String(),
    version: Type.String(),
    sha256: Type.String(),
    length: Type.Integer({ description: 'bytes' }),
    floor: Type.Integer({ description: 'security floor' }),
    at: Type.String({ description: 'ISO 8601' }),
    who: Type.String(),
  },
  { $id: 'Release' },
);
export type Release = Static<typeof Release>;
/** The response of GET /api/releases, newest version first. */
export const ReleaseList = open({ releases: Type.Array(Release) }, { $id: 'ReleaseList' });
export type ReleaseList = Static<typeof ReleaseList>;
