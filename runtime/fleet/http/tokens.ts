/** Tokens: one for all nodes and operators, and one for each node, which follows from it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { closed } from '../../base/schema.ts';
import { signatureOf } from '../../http/delivery.ts';
import { Refusal } from './errors.ts';

/** The token of one node: HMAC-SHA256 (RFC 2104) of its id with the master token as the key, as base64url (43 characters). */
export const tokenOf = (master: string, node: string): string =>
  createHmac('sha256', master).update(node).digest('base64url');

/** Compares in a time that does not depend on where the texts differ; only their length can be seen by it. */
export function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The token of `Authorization: Bearer …` (RFC 6750, 2.1); '' without one. */
export const bearerOf = (authorization: string): string => /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

/** Whether this is the master token or that of this node, as base64url or in hexadecimal. */
export function isOfNode(master: string, node: string, shown: string): boolean {
  if (isSame(master, shown)) return true;
  const own = tokenOf(master, node);
  return isSame(own, shown) || isSame(Buffer.from(own, 'base64url').toString('hex'), shown);
}

/** Whether this may be a token at all, of whichever node: what shows another is refused before its body is read. */
export const mayBeToken = (master: string, shown: string): boolean =>
  /^([\w-]{43}|[0-9a-f]{64})$/.test(shown) || isSame(master, shown);

/** Whether this may be a signature at all. */
export const mayBeSignature = (shown: string): boolean => /^sha256=[0-9a-f]{64}$/.test(shown);

/** Whether `signature` (`sha256=<hex>`) is that of the body with the token of the node, or the master token, as secret. */
export function isSigned(master: string, node: string, body: Uint8Array, signature: string): boolean {
  return [tokenOf(master, node), master].some((secret) => isSame(signatureOf(body, secret), signature));
}

/** The query of a request that a node makes: which node it is, where it says so. */
export const NodeQuery = closed(
  {
    node: Type.Optional(
      Type.String({ maxLength: 64, description: 'id of the node, whose own token is then taken, too' }),
    ),
  },
  { $id: 'NodeQuery' },
);

/** Throws the Refusal `unauthorized` unless the request has the master token or that of the node. */
export function mustBeNode(master: string, node: string, authorization: string): void {
  if (!isOfNode(master, node, bearerOf(authorization))) throw new Refusal('unauthorized');
}
