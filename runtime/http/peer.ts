/** Addresses of the other end of a connection, as people write them. */
import type { Socket } from 'node:net';

/** IPv4 in its own form: a listener on [::] sees its mapped form (RFC 4291, 2.5.5.2). */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** The address of a client; '' where it had gone before anybody asked. */
export const addressOf = ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string => unmapped(remoteAddress);
