/** Which key an update asks for, held against the contract. */
import { expect, it } from 'vitest';
import { operationOf } from '../../contract/document.ts';

it.each(['wifi', 'camera', 'twin'] as const)(
  'PUT /update of variant %s takes the API key and the update key',
  (variant) => {
    expect(operationOf(variant, 'PUT /update')?.security).toContainEqual({ apiKey: [], updateKey: [] });
  },
);
